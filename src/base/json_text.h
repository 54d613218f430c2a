#pragma once
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace ty {

/// How many bytes at the front need no escape, eight at a time: most of a job file is such bytes.
inline std::size_t plain_json_prefix(std::string_view text) {
  constexpr std::uint64_t kOnes = 0x0101010101010101, kHighs = kOnes << 7;
  const auto with_zero = [](std::uint64_t eight) { return (eight - kOnes) & ~eight & kHighs; };
  static_assert(std::endian::native == std::endian::little);
  std::size_t at = 0;
  for (; at + 8 <= text.size(); at += 8) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, text.data() + at, 8);
    const std::uint64_t below_space = (eight - kOnes * 0x20) & ~eight & kHighs;
    const std::uint64_t special = below_space | with_zero(eight ^ kOnes * '"') |
                                  with_zero(eight ^ kOnes * '\\') | with_zero(eight ^ kOnes * 0x7F);
    // What lies behind the first hit may be marked by its borrow; the first itself is exact.
    if (special != 0) return at + static_cast<std::size_t>(std::countr_zero(special)) / 8;
  }
  const auto is_plain = [](unsigned char c) {
    return c >= 0x20 && c != '"' && c != '\\' && c != 0x7F;
  };
  while (at < text.size() && is_plain(static_cast<unsigned char>(text[at]))) ++at;
  return at;
}

/// What stands between the quotes: `text` escaped, as JSON and YAML both read it. Bytes that are no
/// UTF-8 pass through unchanged.
inline void append_json_escaped(std::string& out, std::string_view text) {
  while (true) {
    const std::size_t plain = plain_json_prefix(text);
    out.append(text.data(), plain);
    if (plain == text.size()) return;
    const auto c = static_cast<unsigned char>(text[plain]);
    text.remove_prefix(plain + 1);
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
}

inline void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  append_json_escaped(out, text);
  out += '"';
}

}  // namespace ty
