#include "base/encoding.h"

#include <sodium.h>

namespace ty {

namespace {

int variant_of(Base64 kind) {
  switch (kind) {
    case Base64::Standard:
      return sodium_base64_VARIANT_ORIGINAL;
    case Base64::Url:
      return sodium_base64_VARIANT_URLSAFE;
    case Base64::UrlBare:
      return sodium_base64_VARIANT_URLSAFE_NO_PADDING;
  }
  __builtin_unreachable();
}

const unsigned char* raw(std::string_view bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}
unsigned char* raw(std::string& bytes) { return reinterpret_cast<unsigned char*>(bytes.data()); }

}  // namespace

std::string to_hex(std::string_view bytes) {
  std::string text(bytes.size() * 2 + 1, '\0');  // libsodium writes a NUL behind it
  sodium_bin2hex(text.data(), text.size(), raw(bytes), bytes.size());
  text.pop_back();
  return text;
}

std::optional<std::string> from_hex(std::string_view text) {
  std::string bytes(text.size() / 2, '\0');
  std::size_t size = 0;
  if (sodium_hex2bin(raw(bytes), bytes.size(), text.data(), text.size(), nullptr, &size, nullptr) !=
      0)
    return std::nullopt;
  return bytes;
}

std::string to_base64(std::string_view bytes, Base64 kind) {
  std::string text(sodium_base64_encoded_len(bytes.size(), variant_of(kind)), '\0');
  sodium_bin2base64(text.data(), text.size(), raw(bytes), bytes.size(), variant_of(kind));
  text.pop_back();
  return text;
}

std::optional<std::string> from_base64(std::string_view text, Base64 kind) {
  std::string bytes(text.size() / 4 * 3 + 3, '\0');
  std::size_t size = 0;
  if (sodium_base642bin(raw(bytes),
                        bytes.size(),
                        text.data(),
                        text.size(),
                        nullptr,
                        &size,
                        nullptr,
                        variant_of(kind)) != 0)
    return std::nullopt;
  bytes.resize(size);
  return bytes;
}

}  // namespace ty
