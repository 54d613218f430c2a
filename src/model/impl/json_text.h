#pragma once
#include <charconv>
#include <concepts>
#include <optional>
#include <string>
#include <string_view>

/// Writing JSON by appending: what the model writes is small, flat and hot.
namespace ty::model {

/// `text` quoted and escaped. Bytes that are no UTF-8 pass through unchanged.
inline void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  std::size_t plain = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c >= 0x20 && c != '"' && c != '\\') continue;
    out.append(text.data() + plain, i - plain);
    plain = i + 1;
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\t':
        out += "\\t";
        break;
      case '\r':
        out += "\\r";
        break;
      default:
        constexpr char kHex[] = "0123456789abcdef";
        out += "\\u00";
        out += kHex[c >> 4];
        out += kHex[c & 15];
    }
  }
  out.append(text.data() + plain, text.size() - plain);
  out += '"';
}

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
