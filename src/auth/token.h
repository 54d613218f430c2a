#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "auth/scope.h"
#include "base/ids.h"
#include "base/result.h"
#include "base/secret.h"
#include "base/time.h"

/// Secrets that stand for a person. The text is shown once and never kept; the store holds its
/// hash, by which a presented token is found again. All functions are safe from any thread and do
/// not block.
namespace ty::auth {

enum class TokenKind : std::uint8_t {
  Personal,  ///< `ty_…`: made by its owner for scripts and the CLI
  Session,   ///< `tys_…`: made by a sign-in, lives while it is used
  SignIn,    ///< `tyl_…`: inside a one-time link; good for one sign-in, then gone
};
std::string_view to_word(TokenKind kind);    ///< personal session sign_in
std::string_view prefix_of(TokenKind kind);  ///< `ty_`, `tys_`, `tyl_`
std::optional<TokenKind> kind_from_word(std::string_view word);

/// A token just made: `text` for the person, the rest for the store.
struct FreshToken {
  TokenKind kind = TokenKind::Personal;
  Secret text;
  std::string hash;  ///< what the store keeps: SHA-256 of the text, 64 lower-case hex digits
  std::string hint;  ///< `ty_…x7Qf`, so that its owner recognises it in a list
};
FreshToken make_token(TokenKind kind);

/// The kind of a text that could be one of our tokens: prefix, length, alphabet and built-in
/// checksum are right. A mistyped or foreign token is refused here, before anything is looked up.
std::optional<TokenKind> token_kind(std::string_view text);

/// SHA-256 as 64 hex digits. A fast hash is right here: the text holds 190 random bits, nothing can
/// be guessed.
std::string token_hash(std::string_view text);

/// Equal? In a time that depends on the lengths only.
bool same_secret(std::string_view a, std::string_view b);

/// How a stored token stands at a moment.
struct TokenTimes {
  Time created_at{};
  std::optional<Time> expires_at;  ///< null: personal tokens that their owner wanted endless
  std::optional<Time> revoked_at;  ///< also set when a sign-in link was used
};
/// Errc::Unauthenticated with the reason in words for the owner: expired when, revoked when.
Result<void> check_alive(TokenKind kind, const TokenTimes& times, Time now);

inline constexpr Seconds kSessionLife = std::chrono::days{7};
inline constexpr Seconds kSignInLinkLife = std::chrono::minutes{60};
inline constexpr Seconds kMaxTokenLife = std::chrono::days{3650};

/// The new end of a session used at `now`, when it is time to move it; null while less than a tenth
/// of its life has passed, so that a busy session costs the store a write now and then, not one per
/// request.
std::optional<Time> extended_session(Time expires_at, Time now);

/// `https://host:port/signin#tyl_…`: after `#`, so that the secret reaches no server log on the
/// way.
std::string sign_in_link(std::string_view base_url, const Secret& token);

}  // namespace ty::auth
