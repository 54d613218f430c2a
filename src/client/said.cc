#include "client/said.h"

#include <algorithm>
#include <boost/json.hpp>

#include "model/message_json.h"

namespace ty::client {

namespace json = boost::json;

namespace {

bool is_known(const Message& message) {
  const auto has_known_words = [](const Param& param) {
    const auto* inner = std::get_if<Value::Messages>(&param.value.any());
    return inner == nullptr || std::ranges::all_of(*inner, is_known);
  };
  return message.empty() ||
         (is_known_code(message.code) && std::ranges::all_of(message.params, has_known_words));
}

Message in_english(std::string_view sentence) {
  return sentence.empty() ? Message{} : plain(sentence);
}

}  // namespace

Message said(const json::value& says, std::string_view english) {
  Message message = model::message_from_json(says);
  return message.empty() || !is_known(message) ? in_english(english) : message;
}

Message said(const std::optional<Says>& says, std::string_view english) {
  if (!says) return in_english(english);
  return said(json::value(json::object{{"code", says->code}, {"data", says->data}}), english);
}

Message said(const Statement& statement) {
  return said(json::value(json::object{{"code", statement.code}, {"data", statement.data}}),
              statement.text);
}

Message said(const WhyClue& clue) { return said(clue.text_says, clue.text); }

}  // namespace ty::client
