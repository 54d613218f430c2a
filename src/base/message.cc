#include "base/message.h"

#include <algorithm>
#include <ostream>

#include "base/impl/catalogue.h"
#include "base/json_text.h"
#include "base/text.h"

namespace ty {

Message::Message() = default;
Message::Message(const Message&) = default;
Message::Message(Message&&) noexcept = default;
Message& Message::operator=(const Message&) = default;
Message& Message::operator=(Message&&) noexcept = default;
Message::~Message() = default;

Message::Message(std::string code, std::vector<Param> params)
    : code(std::move(code)), params(std::move(params)) {}

bool Message::operator==(const Message& other) const = default;

Message Message::with(std::string name, Value value) && {
  params.push_back({std::move(name), std::move(value)});
  return std::move(*this);
}

const Value* Message::find(std::string_view name) const {
  const auto at = std::ranges::find(params, name, &Param::name);
  return at == params.end() ? nullptr : &at->value;
}

std::string Message::text() const { return render(*this, Language::English); }

Message plain(std::string_view text) { return {"plain", {{"text", Value(text)}}}; }

Message joined(Message first, Message second) {
  if (first.empty()) return second;
  if (second.empty()) return first;
  Value::Messages parts;
  // Three parts are one list of three, so that they compare and read as one.
  if (first.code == "joined") {
    parts = std::get<Value::Messages>(first.params.front().value.any());
  } else {
    parts.push_back(std::move(first));
  }
  parts.push_back(std::move(second));
  return {"joined", {{"parts", Value(std::move(parts))}}};
}

Message within(Message what, Message why) {
  return {"within", {{"what", Value(std::move(what))}, {"why", Value(std::move(why))}}};
}

std::ostream& operator<<(std::ostream& out, const Message& message) {
  return out << message.text();
}

bool is_known_code(std::string_view code) { return find_sentence(code) != nullptr; }

namespace {

/// File names and such may hold any bytes; what is stored and sent is UTF-8.
void append_valid(std::string& out, std::string_view text) {
  out += '"';
  for (std::size_t bad; (bad = invalid_utf8(text)) != std::string_view::npos;) {
    append_json_escaped(out, text.substr(0, bad));
    out += "\xEF\xBF\xBD";
    text.remove_prefix(bad + 1);
  }
  append_json_escaped(out, text);
  out += '"';
}

void append_json(std::string& out, const Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value.any())) {
    out += std::to_string(*number);
  } else if (const auto* text = std::get_if<std::string>(&value.any())) {
    append_valid(out, *text);
  } else if (const auto* names = std::get_if<Value::Texts>(&value.any())) {
    out += '[';
    for (const std::string& name : *names) {
      if (&name != &names->front()) out += ',';
      append_valid(out, name);
    }
    out += ']';
  } else {
    const auto& messages = std::get<Value::Messages>(value.any());
    if (messages.size() != 1) out += '[';
    for (const Message& message : messages) {
      if (&message != &messages.front()) out += ',';
      ty::append_json(out, message);
    }
    if (messages.size() != 1) out += ']';
  }
}

}  // namespace

void append_json(std::string& out, const Message& message) {
  out += "{\"code\":";
  append_json_string(out, message.code);
  out += ",\"data\":";
  append_json_data(out, message);
  out += '}';
}

void append_json_data(std::string& out, const Message& message) {
  out += '{';
  for (const Param& param : message.params) {
    if (&param != &message.params.front()) out += ',';
    append_json_string(out, param.name);
    out += ':';
    append_json(out, param.value);
  }
  out += '}';
}

}  // namespace ty
