#pragma once
#include <string>

#include "base/result.h"
#include "client/api_client.h"

namespace ty::cli {

/// Where the server is and who we are, the first that says so: flags, TRAINYARD_URL and
/// TRAINYARD_TOKEN, what `trainyard login` kept, a server of this user on this machine (its data
/// directory has address and token).
/// Whom we trust to be that server: the roots in `ca_flag` or TRAINYARD_CA, the certificate that
/// `login` has kept or that a server of this machine names, else the system's roots.
Result<client::Credentials> find_credentials(const std::string& url_flag,
                                             const std::string& token_flag,
                                             const std::string& ca_flag);

/// Keeps a login in `$XDG_CONFIG_HOME/trainyard/login.json`, readable by this user only.
Result<std::string> keep_login(const client::Credentials& login);
Result<void> forget_login();

}  // namespace ty::cli
