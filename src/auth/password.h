#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/secret.h"

/// Passwords, kept as argon2id in libsodium's portable text (`$argon2id$v=19$m=65536,t=2,p=1$…`).
/// Hashing and verifying take about a tenth of a second and 64 MiB by design: run them on a
/// blocking pool, never on a loop. All functions are safe from any thread.
namespace ty::auth {

struct PasswordCost {
  std::uint64_t operations = 2;
  std::size_t memory = std::size_t{64} << 20;  ///< bytes
};

inline constexpr std::size_t kMinPasswordCharacters = 8;
inline constexpr std::size_t kMaxPasswordBytes =
    256;  ///< longer ones would only buy the asker CPU time

/// Errc::Invalid with one Fault (pointer `/password`) per broken rule, each saying what to do
/// instead.
Result<void> check_password_rules(const Secret& password, std::string_view user_name);

/// Errc::Unavailable when the memory for it is not there right now. Does not check the rules.
Result<std::string> hash_password(const Secret& password, PasswordCost cost = {});

/// False also for texts that are no hash at all.
bool verify_password(const std::string& hash, const Secret& password);

/// Takes as long as a real verification and fails. Call it when the account does not exist, so that
/// the time of an answer does not tell which accounts do.
void verify_against_nobody(const Secret& password);

/// The hash was made with another cost than today's: make a new one now that the password is at
/// hand.
bool needs_rehash(const std::string& hash, PasswordCost cost = {});

}  // namespace ty::auth
