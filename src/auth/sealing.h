#pragma once
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/secret.h"

/// Secrets at rest: libsodium's secret box (XSalsa20-Poly1305) under a key of the server's.
namespace ty::auth {

/// 64 hexadecimal digits.
Secret make_sealing_key();
bool is_sealing_key(const Secret& key);

/// A text that only `unseal` with the same key opens; another one each time.
std::string seal(const Secret& key, const Secret& value);
/// Invalid when it was sealed with another key, or changed since.
Result<Secret> unseal(const Secret& key, std::string_view sealed);

}  // namespace ty::auth
