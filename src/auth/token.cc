#include "auth/token.h"

#include <fmt/format.h>
#include <sodium.h>

#include <algorithm>
#include <array>

#include "auth/messages.h"
#include "base/encoding.h"

namespace ty::auth {

namespace {

constexpr std::string_view kAlphabet =
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
constexpr std::size_t kRandomCharacters = 32;  // 190 bits
constexpr std::size_t kCheckCharacters = 6;

struct KindRow {
  TokenKind kind;
  std::string_view prefix;
  std::string_view word;
};
constexpr KindRow kKinds[] = {
    {TokenKind::Personal, "ty_", "personal"},
    {TokenKind::Session, "tys_", "session"},
    {TokenKind::SignIn, "tyl_", "sign_in"},
};
const KindRow& row_of(TokenKind kind) { return *std::ranges::find(kKinds, kind, &KindRow::kind); }

std::array<unsigned char, crypto_hash_sha256_BYTES> sha256(std::string_view text) {
  std::array<unsigned char, crypto_hash_sha256_BYTES> digest{};
  crypto_hash_sha256(
      digest.data(), reinterpret_cast<const unsigned char*>(text.data()), text.size());
  return digest;
}

/// Six characters that follow from the rest. No defence, only a quick way to tell a slip of the
/// keyboard.
std::string check_of(std::string_view text) {
  const auto digest = sha256(text);
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < 8; ++i) number = number << 8 | digest[i];
  std::string check;
  for (std::size_t i = 0; i < kCheckCharacters; ++i, number /= kAlphabet.size()) {
    check += kAlphabet[number % kAlphabet.size()];
  }
  return check;
}

}  // namespace

std::string_view to_word(TokenKind kind) { return row_of(kind).word; }
std::string_view prefix_of(TokenKind kind) { return row_of(kind).prefix; }

std::optional<TokenKind> kind_from_word(std::string_view word) {
  const auto* row = std::ranges::find(kKinds, word, &KindRow::word);
  if (row == std::end(kKinds)) return {};
  return row->kind;
}

FreshToken make_token(TokenKind kind) {
  TY_CHECK(sodium_init() >= 0, "libsodium starts wherever the kernel gives random bytes");
  std::string text(prefix_of(kind));
  for (std::size_t i = 0; i < kRandomCharacters; ++i) {
    text += kAlphabet[randombytes_uniform(static_cast<std::uint32_t>(kAlphabet.size()))];
  }
  text += check_of(text);
  FreshToken token;
  token.kind = kind;
  token.hash = token_hash(text);
  // From the checksum, so that the hint tells nothing about the random part.
  token.hint = fmt::format("{}…{}", prefix_of(kind), text.substr(text.size() - 4));
  token.text = Secret(std::move(text));
  return token;
}

std::optional<TokenKind> token_kind(std::string_view text) {
  for (const KindRow& row : kKinds) {
    if (!text.starts_with(row.prefix)) continue;
    if (text.size() != row.prefix.size() + kRandomCharacters + kCheckCharacters) continue;
    const std::string_view tail = text.substr(row.prefix.size());
    if (tail.find_first_not_of(kAlphabet) != std::string_view::npos) continue;
    if (text.substr(text.size() - kCheckCharacters) !=
        check_of(text.substr(0, text.size() - kCheckCharacters)))
      continue;
    return row.kind;
  }
  return {};
}

std::string token_hash(std::string_view text) {
  const auto hash = sha256(text);
  return to_hex({reinterpret_cast<const char*>(hash.data()), hash.size()});
}

bool same_secret(std::string_view a, std::string_view b) {
  return a.size() == b.size() && sodium_memcmp(a.data(), b.data(), a.size()) == 0;
}

namespace {

Message revoked(TokenKind kind, Time at) {
  switch (kind) {
    case TokenKind::Personal:
      return say::access_token_revoked({.at = at});
    case TokenKind::Session:
      return say::session_revoked({.at = at});
    case TokenKind::SignIn:
      return say::sign_in_link_used({.at = at});
  }
  return {};
}

Message expired(TokenKind kind, Time at) {
  switch (kind) {
    case TokenKind::Personal:
      return say::access_token_expired({.at = at});
    case TokenKind::Session:
      return say::session_expired({.at = at});
    case TokenKind::SignIn:
      return say::sign_in_link_expired({.at = at});
  }
  return {};
}

}  // namespace

Result<void> check_alive(TokenKind kind, const TokenTimes& times, Time now) {
  if (times.revoked_at && *times.revoked_at <= now)
    return fail(Errc::Unauthenticated, revoked(kind, *times.revoked_at));
  if (times.expires_at && *times.expires_at <= now)
    return fail(Errc::Unauthenticated, expired(kind, *times.expires_at));
  return {};
}

std::optional<Time> extended_session(Time expires_at, Time now) {
  const Time next = now + kSessionLife;
  if (next - expires_at < kSessionLife / 10) return {};
  return next;
}

std::string sign_in_link(std::string_view base_url, const Secret& token) {
  while (base_url.ends_with('/')) base_url.remove_suffix(1);
  return fmt::format("{}/signin#{}", base_url, token.reveal());
}

}  // namespace ty::auth
