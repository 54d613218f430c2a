#pragma once
#include <boost/asio/awaitable.hpp>
#include <mutex>
#include <string>
#include <unordered_map>

#include "auth/principal.h"
#include "auth/token.h"
#include "base/result.h"
#include "base/secret.h"
#include "base/time.h"

namespace ty::store {
class SessionStore;
class TokenStore;
class UserStore;
class WorkspaceStore;
}  // namespace ty::store

namespace ty::control {

/// Who holds a token or a session. What it found is kept for seconds, because every request asks.
/// Any thread.
class Authenticator {
 public:
  struct Parts {
    store::UserStore& users;
    store::TokenStore& tokens;
    store::SessionStore& sessions;
    store::WorkspaceStore& workspaces;
    const Clock& clock;
  };
  explicit Authenticator(Parts parts) : p_(parts) {}

  /// Unauthenticated says what is wrong with the token and how to get a new one.
  boost::asio::awaitable<Result<auth::Principal>> authenticate(Secret token);
  /// Whoever changes accounts, memberships, tokens or sessions says so here: it counts at once.
  void forget();

 private:
  boost::asio::awaitable<Result<auth::Principal>> by_token(std::string hash);
  boost::asio::awaitable<Result<auth::Principal>> by_session(std::string hash);
  boost::asio::awaitable<Result<auth::Principal>> principal_of(UserId user,
                                                               auth::Scopes scopes,
                                                               TokenId token);

  struct Cached {
    auth::Principal who;
    Time until{};
  };

  Parts p_;
  std::mutex mutex_;
  std::unordered_map<std::string, Cached> cache_;  ///< by token hash
};

}  // namespace ty::control
