#pragma once
#include <boost/asio/awaitable.hpp>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/secret.h"
#include "base/time.h"

namespace ty::store {
class TokenStore;
class UserStore;
class WorkspaceStore;
}  // namespace ty::store

namespace ty::control {

class Authenticator;
class SessionService;

struct FirstStartParts {
  store::UserStore& users;
  store::TokenStore& tokens;
  store::WorkspaceStore& workspaces;
  SessionService& sessions;
  Authenticator& authenticator;
  const Clock& clock;
};

/// At every start: makes the administrator `admin` when there is no user yet. When the file's token
/// is gone or no longer valid a new one is written there. Answers the text of a one-time sign-in
/// token while the administrator has no password, else nothing.
boost::asio::awaitable<Result<std::optional<Secret>>> ensure_administrator(
    FirstStartParts parts, std::string admin_token_file);

}  // namespace ty::control
