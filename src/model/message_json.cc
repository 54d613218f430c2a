#include "model/message_json.h"

#include <algorithm>
#include <boost/json.hpp>

namespace ty::model {

namespace json = boost::json;

namespace {

Value value_from_json(const json::value& from) {
  if (const std::int64_t* number = from.if_int64()) return *number;
  if (const json::string* text = from.if_string()) return std::string_view(*text);
  if (from.is_object()) return message_from_json(from);
  const json::array* items = from.if_array();
  if (items == nullptr) return json::serialize(from);
  if (std::ranges::all_of(*items, [](const json::value& item) { return item.is_string(); })) {
    Value::Texts names;
    for (const json::value& item : *items) names.emplace_back(std::string_view(item.get_string()));
    return names;
  }
  Value::Messages messages;
  for (const json::value& item : *items) messages.push_back(message_from_json(item));
  return messages;
}

}  // namespace

Message message_from_json(const json::value& from) {
  if (const json::string* text = from.if_string())
    return text->empty() ? Message{} : plain(std::string_view(*text));
  const json::object* object = from.if_object();
  const json::value* code = object == nullptr ? nullptr : object->if_contains("code");
  if (code == nullptr || !code->is_string()) return {};
  Message message{std::string(std::string_view(code->get_string())), {}};
  const json::value* data = object->if_contains("data");
  if (data == nullptr || !data->is_object()) return message;
  for (const auto& [name, value] : data->get_object())
    message.params.push_back({std::string(std::string_view(name)), value_from_json(value)});
  return message;
}

}  // namespace ty::model
