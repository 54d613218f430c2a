#include "api/json_writer.h"

#include <fmt/format.h>

#include <cmath>

#include "base/json_text.h"
#include "base/text.h"

namespace ty::api {
namespace {

/// Text that stands in JSON as it is. No way out early, so that the compiler looks at many
/// characters at once.
bool is_plain(std::string_view text) {
  bool plain = true;
  for (const char c : text) plain &= (c >= 0x20) & (c < 0x7F) & (c != '"') & (c != '\\');
  return plain;
}

}  // namespace

void JsonWriter::separate() {
  if (!first_) out_ += ',';
  first_ = false;
}

JsonWriter& JsonWriter::open(char bracket) {
  separate();
  out_ += bracket;
  first_ = true;
  return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
  out_ += bracket;
  first_ = false;
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  separate();
  append_text(name);
  out_ += ':';
  first_ = true;
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
  separate();
  append_text(text);
  return *this;
}

JsonWriter& JsonWriter::value(bool yes) { return raw(yes ? "true" : "false"); }

JsonWriter& JsonWriter::value(std::int64_t number) {
  separate();
  fmt::format_to(std::back_inserter(out_), "{}", number);
  return *this;
}

JsonWriter& JsonWriter::value(std::uint64_t number) {
  separate();
  fmt::format_to(std::back_inserter(out_), "{}", number);
  return *this;
}

JsonWriter& JsonWriter::value(double number) {
  if (!std::isfinite(number)) return null();
  separate();
  fmt::format_to(std::back_inserter(out_), "{}", number);
  return *this;
}

JsonWriter& JsonWriter::null() { return raw("null"); }

JsonWriter& JsonWriter::raw(std::string_view json) {
  separate();
  out_ += json;
  return *this;
}

void JsonWriter::append_text(std::string_view text) {
  out_ += '"';
  if (is_plain(text)) {
    out_ += text;
    out_ += '"';
    return;
  }
  for (std::size_t bad; (bad = invalid_utf8(text)) != std::string_view::npos;) {
    append_json_escaped(out_, text.substr(0, bad));
    out_ += "\xEF\xBF\xBD";
    text.remove_prefix(bad + 1);
  }
  append_json_escaped(out_, text);
  out_ += '"';
}

namespace {
std::string key_of_says(std::string_view name) {
  return name == "message" ? "says" : std::string(name) + "_says";
}
}  // namespace

JsonWriter& JsonWriter::says(const Message& message) {
  std::string json;
  append_json(json, message);
  return raw(json);
}

JsonWriter& JsonWriter::field(std::string_view name, const Message& message) {
  key(name).value(message.text());
  if (message.empty()) return *this;
  return key(key_of_says(name)).says(message);
}

JsonWriter& JsonWriter::field(std::string_view name, const std::vector<Message>& messages) {
  key(name).array();
  for (const Message& message : messages) value(message.text());
  end_array().key(key_of_says(name)).array();
  for (const Message& message : messages) says(message);
  return end_array();
}

std::string JsonWriter::finish() && {
  out_ += '\n';
  return std::move(out_);
}

}  // namespace ty::api
