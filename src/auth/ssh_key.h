#pragma once
#include <string>
#include <string_view>

#include "base/secret.h"

namespace ty::auth {

/// A key pair for ssh (Ed25519), in the formats of OpenSSH's files.
struct SshKeyPair {
  Secret private_key;
  std::string public_key;  ///< one line
};

/// The pair that belongs to `name`. It follows from the server's own key, so that it need not be
/// kept anywhere and is the same again after a restart; nobody without that key can work it out.
SshKeyPair derive_ssh_key(const Secret& sealing_key, std::string_view name);

}  // namespace ty::auth
