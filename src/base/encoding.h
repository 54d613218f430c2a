#pragma once
#include <optional>
#include <string>
#include <string_view>

/// Bytes as text and back.
namespace ty {

/// Two lower-case digits a byte.
std::string to_hex(std::string_view bytes);
/// Digits of either case; nothing when anything else is there or one digit is left over.
std::optional<std::string> from_hex(std::string_view text);

enum class Base64 {
  Standard,  ///< RFC 4648 §4, padded
  Url,       ///< RFC 4648 §5, padded
  UrlBare,   ///< RFC 4648 §5, without padding
};
std::string to_base64(std::string_view bytes, Base64 kind = Base64::Standard);
/// Nothing when it is not exactly what to_base64() writes.
std::optional<std::string> from_base64(std::string_view text, Base64 kind = Base64::Standard);

}  // namespace ty
