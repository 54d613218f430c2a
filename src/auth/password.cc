#include "auth/password.h"

#include <sodium.h>

#include <algorithm>
#include <array>

#include "auth/messages.h"
#include "base/text.h"

namespace ty::auth {

namespace {

void start_sodium() {
  static const bool started = [] {
    TY_CHECK(sodium_init() >= 0, "libsodium starts wherever the kernel gives random bytes");
    return true;
  }();
  (void)started;
}

/// What people type when a rule only asks for length. Compared without case.
constexpr std::array<std::string_view, 32> kCommon = {
    "12345678",  "123456789",  "1234567890", "password",  "password1", "passw0rd", "qwertyui",
    "qwerty123", "qwertyuiop", "iloveyou",   "11111111",  "00000000",  "88888888", "66666666",
    "abcd1234",  "abc12345",   "a1234567",   "1q2w3e4r",  "1qaz2wsx",  "asdfghjk", "admin123",
    "admin1234", "letmein1",   "welcome1",   "trustno1",  "sunshine",  "football", "changeme",
    "trainyard", "woaini1314", "5201314a",   "qazwsxedc",
};

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

bool one_character_repeated(std::string_view text) {
  return std::ranges::all_of(text, [&](char c) { return c == text.front(); });
}

}  // namespace

Result<void> check_password_rules(const Secret& password, std::string_view user_name) {
  const std::string& text = password.reveal();
  std::vector<Fault> faults;
  const auto fault = [&](std::string_view code, Message message) {
    faults.push_back(
        {.pointer = "/password", .message = std::move(message), .code = std::string(code)});
  };
  if (text.size() > kMaxPasswordBytes) {
    fault("too_long", say::password_too_long({.limit = kMaxPasswordBytes}));
  } else if (characters(text) < kMinPasswordCharacters) {
    fault("too_short", say::password_too_short({.least = kMinPasswordCharacters}));
  } else {
    const std::string lower = to_lower(text);
    const bool common = std::ranges::find(kCommon, lower) != kCommon.end();
    if (common || one_character_repeated(text)) fault("common", say::password_common());
    if (!user_name.empty() && lower == to_lower(user_name))
      fault("user_name", say::password_is_user_name());
  }
  if (text.find('\0') != std::string::npos) fault("nul", say::password_has_nul());
  if (invalid_utf8(text) != std::string_view::npos) fault("utf8", say::password_not_utf8());
  if (faults.empty()) return {};
  Message message = say::password_refused({.why = faults.front().message});
  return fail(Errc::Invalid, std::move(message), std::move(faults));
}

Result<std::string> hash_password(const Secret& password, PasswordCost cost) {
  start_sodium();
  std::array<char, crypto_pwhash_STRBYTES> text{};
  const int failed = crypto_pwhash_str_alg(text.data(),
                                           password.reveal().data(),
                                           password.reveal().size(),
                                           cost.operations,
                                           cost.memory,
                                           crypto_pwhash_ALG_ARGON2ID13);
  if (failed != 0) {
    return fail(Errc::Unavailable, say::password_memory({.needed = cost.memory}));
  }
  return std::string(text.data());
}

bool verify_password(const std::string& hash, const Secret& password) {
  start_sodium();
  // Longer than any hash: libsodium would read only its beginning.
  if (hash.size() >= crypto_pwhash_STRBYTES) return false;
  return crypto_pwhash_str_verify(
             hash.c_str(), password.reveal().data(), password.reveal().size()) == 0;
}

void verify_against_nobody(const Secret& password) {
  static const std::string nobody = [] {
    auto hash = hash_password(Secret("nobody has this password"));
    return hash ? *hash : std::string();
  }();
  (void)verify_password(nobody, password);
}

bool needs_rehash(const std::string& hash, PasswordCost cost) {
  start_sodium();
  if (hash.size() >= crypto_pwhash_STRBYTES) return true;
  return crypto_pwhash_str_needs_rehash(hash.c_str(), cost.operations, cost.memory) != 0;
}

}  // namespace ty::auth
