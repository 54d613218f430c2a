#pragma once
#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "auth/principal.h"
#include "base/ids.h"
#include "base/result.h"
#include "base/secret.h"

namespace ty::engine {
struct RegistryLogin;
}
namespace ty::store {
class RegistryStore;
class WorkspaceStore;
}  // namespace ty::store

namespace ty::control {

class SecretBox;

struct RegistryView {
  std::string server;
  std::string username;
  std::string workspace;  ///< empty: one's own
};

struct NewRegistryLogin {
  std::string server;
  std::string username;
  Secret password;
};

/// How people and workspaces sign in to image registries. Passwords lie sealed in the database;
/// they are written and used, never shown. Any thread.
class RegistryService {
 public:
  struct Parts {
    store::RegistryStore& logins;
    store::WorkspaceStore& workspaces;
    const SecretBox& secrets;
  };
  explicit RegistryService(Parts parts) : p_(parts) {}

  /// Once, before anything else. `old_file` is where earlier versions kept passwords in the
  /// open: what it holds is taken over and the file removed. No file is fine.
  boost::asio::awaitable<Result<void>> load(std::string old_file);

  /// One's own, and those of the workspaces one belongs to.
  boost::asio::awaitable<Result<std::vector<RegistryView>>> list(auth::Principal who);
  /// Replaces what was there for that server. For a workspace: its managers.
  boost::asio::awaitable<Result<void>> set(auth::Principal who,
                                           std::string workspace,
                                           NewRegistryLogin login);
  boost::asio::awaitable<Result<void>> remove(auth::Principal who,
                                              std::string workspace,
                                              std::string server);

  /// The owner's login for that registry, else the workspace's.
  std::optional<engine::RegistryLogin> find(UserId owner,
                                            WorkspaceId workspace,
                                            const std::string& server) const;
  /// All that the owner and the workspace have, the owner's first. Any thread.
  std::vector<engine::RegistryLogin> all(UserId owner, WorkspaceId workspace) const;

 private:
  /// One of the two is 0.
  struct Owner {
    UserId user;
    WorkspaceId workspace;
    auto operator<=>(const Owner&) const = default;
  };
  struct Login {
    std::string username;
    Secret password;
  };
  using Key = std::pair<Owner, std::string>;  ///< and the server

  boost::asio::awaitable<Result<Owner>> owner_of(auth::Principal who, std::string workspace);
  boost::asio::awaitable<Result<void>> take_over(std::string old_file);
  boost::asio::awaitable<Result<void>> refresh();

  Parts p_;
  mutable std::mutex mutex_;
  std::map<Key, Login> logins_;  ///< as stored, opened: every launch asks
  std::uint64_t asked_ = 0;      ///< refreshes begun
  std::uint64_t shown_ = 0;      ///< the one `logins_` is from
};

}  // namespace ty::control
