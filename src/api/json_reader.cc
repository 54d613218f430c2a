#include "api/json_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/stream_parser.hpp>

#include "api/messages.h"
#include "base/text.h"
#include "control/json_kind.h"
#include "control/messages.h"

namespace ty::api {

namespace json = boost::json;

JsonReader::JsonReader(const json::value& json) : json_(json), is_object_(json.is_object()) {
  if (!is_object_) {
    faults_.push_back({.pointer = "",
                       .message = control::say::expected_got({.expected = control::say::an_object(),
                                                              .got = control::json_kind(json)}),
                       .code = "type"});
  }
}

const json::value* JsonReader::find(std::string_view key) {
  known_.emplace_back(key);
  return is_object_ ? json_.get_object().if_contains(key) : nullptr;
}

void JsonReader::fault(std::string_view key, Message message, std::string code) {
  faults_.push_back(
      {.pointer = fmt::format("/{}", key), .message = std::move(message), .code = std::move(code)});
}

void JsonReader::missing(std::string_view key) {
  fault(key, control::say::field_missing(), "missing");
}

void JsonReader::wrong_type(std::string_view key, const json::value& json, Message expected) {
  fault(key,
        control::say::expected_got(
            {.expected = std::move(expected), .got = control::json_kind(json)}),
        "type");
}

void JsonReader::read(std::string_view key, const json::value& json, std::string& into) {
  if (!json.is_string()) return wrong_type(key, json, control::say::json_text());
  into = json.get_string();
}

void JsonReader::read(std::string_view key, const json::value& json, Secret& into) {
  std::string text;
  read(key, json, text);
  into = Secret(std::move(text));
}

void JsonReader::read(std::string_view key, const json::value& json, bool& into) {
  if (!json.is_bool()) return wrong_type(key, json, control::say::json_true_or_false());
  into = json.get_bool();
}

void JsonReader::read(std::string_view key, const json::value& json, std::int64_t& into) {
  if (!json.is_int64()) return wrong_type(key, json, control::say::json_whole_number());
  into = json.get_int64();
}

void JsonReader::read(std::string_view key,
                      const json::value& json,
                      std::vector<std::string>& into) {
  if (!json.is_array()) return wrong_type(key, json, control::say::json_texts());
  into.clear();
  for (std::size_t i = 0; i < json.get_array().size(); ++i) {
    into.emplace_back();
    read(fmt::format("{}/{}", key, i), json.get_array()[i], into.back());
  }
}

Result<void> JsonReader::done() {
  if (is_object_) {
    const std::vector<std::string_view> known(known_.begin(), known_.end());
    for (const auto& [name, value] : json_.get_object()) {
      if (std::ranges::find(known_, std::string_view(name)) != known_.end()) continue;
      const std::string near = closest(name, known);
      fault(shorten(std::string_view(name)),
            near.empty() ? control::say::field_unknown()
                         : control::say::field_unknown_near({.near = near}),
            "unknown_key");
    }
  }
  if (faults_.empty()) return {};
  return std::unexpected(error_of(std::move(faults_)));
}

Result<json::value> parse_json(std::string_view text) {
  json::stream_parser parser;
  boost::system::error_code ec;
  const std::size_t used = parser.write_some(text.data(), text.size(), ec);
  if (!ec) parser.finish(ec);
  if (!ec && used < text.size() && trim(text.substr(used)).empty()) return parser.release();
  if (!ec && used == text.size()) return parser.release();
  const std::string_view before = text.substr(0, used);
  const auto line = 1 + std::ranges::count(before, '\n');
  const std::size_t line_start = before.rfind('\n') + 1;
  return fail(Errc::Invalid,
              say::body_not_json_at(
                  {.line = line,
                   .column = used - line_start + 1,
                   .why = ec ? plain(ec.message()) : say::something_follows_the_value()}));
}

Error error_of(std::vector<Fault> faults) {
  Message message;
  constexpr std::size_t shown = 3;
  for (std::size_t i = 0; i < std::min(faults.size(), shown); ++i) {
    const Fault& fault = faults[i];
    message =
        joined(std::move(message),
               fault.pointer.empty() ? fault.message : within(plain(fault.pointer), fault.message));
  }
  if (faults.size() > shown)
    message = joined(std::move(message), say::and_more({.count = faults.size() - shown}));
  return {Errc::Invalid, std::move(message), std::move(faults)};
}

}  // namespace ty::api
