#pragma once
#include <boost/asio/awaitable.hpp>
#include <optional>
#include <string>
#include <vector>

#include "auth/principal.h"
#include "base/result.h"
#include "base/time.h"
#include "model/user.h"

namespace ty::store {
class UserStore;
class WorkspaceStore;
}  // namespace ty::store

namespace ty::control {

class Authenticator;

struct WorkspaceView {
  std::string name;
  std::string description;
  Time created_at{};
};

/// A workspace one belongs to, and as what.
struct OwnWorkspace {
  std::string name;
  model::WorkspaceRole role = model::WorkspaceRole::Member;
};

/// Workspaces and who belongs to them. Any thread.
class WorkspaceService {
 public:
  struct Parts {
    store::WorkspaceStore& workspaces;
    store::UserStore& users;
    Authenticator& authenticator;
    const Clock& clock;
  };
  explicit WorkspaceService(Parts parts) : p_(parts) {}

  boost::asio::awaitable<Result<std::vector<OwnWorkspace>>> mine(auth::Principal who);
  /// Administrators only. Who makes it manages it.
  boost::asio::awaitable<Result<WorkspaceView>> create(auth::Principal who,
                                                       std::string name,
                                                       std::string description);
  /// Administrators only. Conflict while jobs are kept in it.
  boost::asio::awaitable<Result<void>> remove(auth::Principal who, std::string name);
  /// For administrators and the workspace's managers. No role: they belong to it no longer.
  boost::asio::awaitable<Result<void>> set_member(auth::Principal who,
                                                  std::string workspace,
                                                  std::string user,
                                                  std::optional<model::WorkspaceRole> role);

 private:
  Parts p_;
};

}  // namespace ty::control
