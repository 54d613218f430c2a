#pragma once
#include <boost/asio/awaitable.hpp>
#include <optional>
#include <string>
#include <vector>

#include "auth/principal.h"
#include "base/result.h"
#include "base/secret.h"
#include "base/time.h"

namespace ty::store {
class SessionStore;
class UserStore;
class WorkspaceStore;
}  // namespace ty::store

namespace ty::control {

class Authenticator;
class SessionService;

struct UserView {
  std::string name;
  std::string display_name;
  std::string email;
  bool administrator = false;
  bool disabled = false;
  bool has_password = false;
  Time created_at{};
  std::optional<Time> last_seen_at;
};

struct NewUser {
  std::string name, display_name, email;
  bool administrator = false;
};

struct CreatedUser {
  UserView user;
  Secret link;  ///< how they sign in first
};

/// People. All but `me` is for administrators. Any thread.
class UserService {
 public:
  struct Parts {
    store::UserStore& users;
    store::SessionStore& session_rows;
    store::WorkspaceStore& workspaces;
    SessionService& sessions;
    Authenticator& authenticator;
    const Clock& clock;
  };
  explicit UserService(Parts parts) : p_(parts) {}

  boost::asio::awaitable<Result<UserView>> me(auth::Principal who);
  boost::asio::awaitable<Result<std::vector<UserView>>> list(auth::Principal who);
  /// A member of `default`; signs in first by the link that comes back.
  boost::asio::awaitable<Result<CreatedUser>> create(auth::Principal who, NewUser user);
  /// Disabling ends their sessions. Conflict for one's own account.
  boost::asio::awaitable<Result<void>> set_disabled(auth::Principal who,
                                                    std::string user,
                                                    bool disabled);
  /// A new link, for someone who forgot their password.
  boost::asio::awaitable<Result<Secret>> make_link(auth::Principal who, std::string user);

 private:
  Parts p_;
};

}  // namespace ty::control
