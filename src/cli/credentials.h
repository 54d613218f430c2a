#pragma once
#include <string>

#include "base/result.h"
#include "client/api_client.h"

namespace ty::cli {

/// Where the server is and who we are, the first that says so: flags, TRAINYARD_URL and
/// TRAINYARD_TOKEN, what `trainyard login` kept, a server of this user on this machine (its data
/// directory has address and token).
Result<client::Credentials> find_credentials(const std::string& url_flag,
                                             const std::string& token_flag);

/// Keeps a login in `$XDG_CONFIG_HOME/trainyard/login.json`, readable by this user only.
Result<std::string> keep_login(const std::string& url, const Secret& token);
Result<void> forget_login();

}  // namespace ty::cli
