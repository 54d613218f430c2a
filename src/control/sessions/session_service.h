#pragma once
#include <boost/asio/awaitable.hpp>
#include <string>

#include "auth/principal.h"
#include "auth/rate_limit.h"
#include "base/result.h"
#include "base/secret.h"
#include "base/time.h"

namespace ty::config {
struct Config;
}
namespace ty::model {
struct User;
}
namespace ty::rt {
class BlockingPool;
}
namespace ty::store {
class SessionStore;
class UserStore;
}  // namespace ty::store

namespace ty::control {

class Authenticator;
class SecretBox;

/// A session just begun: `token` goes into the browser's cookie or to the CLI.
struct SignedIn {
  std::string user;
  bool has_password = false;
  Secret token;
  Time expires_at{};
  Secret
      device;  ///< shown at the next sign-in to this account, nobody else's guesses are in its way
};

/// Where somebody signs in from.
struct SignInFrom {
  std::string address;
  std::string client;  ///< as the program calls itself
  Secret device;       ///< what an earlier sign-in gave; empty: none
};

/// Signing in and out, by password or by a link that works once. Guessing is slowed down
/// (auth/rate_limit.h). Any thread.
class SessionService {
 public:
  struct Parts {
    store::UserStore& users;
    store::SessionStore& sessions;
    Authenticator& authenticator;
    rt::BlockingPool& pool;
    const SecretBox& secrets;
    const Clock& clock;
    const config::Config& config;
  };
  explicit SessionService(Parts parts) : p_(parts), limiter_(parts.clock) {}

  /// Unauthenticated in the same words whether there is such a user or not; Forbidden for a
  /// disabled account whose password was right; Exhausted after too many tries.
  boost::asio::awaitable<Result<SignedIn>> sign_in(std::string user,
                                                   Secret password,
                                                   SignInFrom from);
  /// Nobody can guess a link, so there is no limit: it is the way in for whoever is refused.
  boost::asio::awaitable<Result<SignedIn>> use_link(Secret link, SignInFrom from);
  /// NotFound when the token is no session's.
  boost::asio::awaitable<Result<void>> sign_out(Secret token);
  /// `old_password` may be empty for someone who has none yet. Ends all other sessions of the user.
  boost::asio::awaitable<Result<void>> change_password(auth::Principal who,
                                                       Secret old_password,
                                                       Secret new_password,
                                                       Secret keep_session);
  /// The secret of a link that signs this user in once. Whoever calls has checked that it may.
  boost::asio::awaitable<Result<Secret>> make_link(UserId user);

 private:
  Secret new_device(const std::string& name) const;
  /// The device's own mark when it has signed in to this account before; else empty.
  std::string known_device(const std::string& name, const SignInFrom& from) const;
  boost::asio::awaitable<Result<SignedIn>> begin_session(model::User user, std::string client);

  Parts p_;
  auth::SignInLimiter limiter_;
};

}  // namespace ty::control
