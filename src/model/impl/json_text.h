#pragma once
#include <charconv>
#include <concepts>
#include <optional>
#include <string>
#include <string_view>

#include "base/json_text.h"
#include "base/message.h"

/// Writing JSON by appending: what the model writes is small, flat and hot.
namespace ty::model {

using ty::append_json_string;

template <std::integral N>
void append_number(std::string& out, N number) {
  char digits[24];
  const auto [end, ec] = std::to_chars(digits, digits + sizeof digits, number);
  out.append(digits, static_cast<std::size_t>(end - digits));
}

/// A flat object: `JsonObject{}.add("task", "worker-1").add("exit_code", 1).text()`. What is absent
/// or empty is left out.
class JsonObject {
 public:
  JsonObject& add(std::string_view key, std::string_view value) {
    if (value.empty()) return *this;
    open(key);
    append_json_string(text_, value);
    return *this;
  }
  JsonObject& add(std::string_view key, const char* value) {
    return add(key, std::string_view(value));
  }
  template <std::integral N>
  JsonObject& add(std::string_view key, N value) {
    open(key);
    if constexpr (std::same_as<N, bool>)
      text_ += value ? "true" : "false";
    else
      append_number(text_, value);
    return *this;
  }
  template <class T>
  JsonObject& add(std::string_view key, const std::optional<T>& value) {
    return value ? add(key, *value) : *this;
  }
  /// The English sentence, and beside it `says`: what other languages are worded from.
  template <std::same_as<Message> M>
  JsonObject& add(std::string_view key, const M& message) {
    if (message.empty()) return *this;
    add(key, message.text());
    open("says");
    append_json(text_, message);
    return *this;
  }
  /// `json` is JSON already.
  JsonObject& add_json(std::string_view key, std::string_view json) {
    open(key);
    text_ += json;
    return *this;
  }
  std::string text() const { return text_.empty() ? "{}" : text_ + "}"; }

 private:
  void open(std::string_view key) {
    text_ += text_.empty() ? '{' : ',';
    append_json_string(text_, key);
    text_ += ':';
  }
  std::string text_;
};

}  // namespace ty::model
