#pragma once
#include <boost/asio/awaitable.hpp>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "auth/principal.h"
#include "base/result.h"
#include "base/secret.h"
#include "engine/launch.h"
#include "store/workspace_store.h"

namespace ty::control {

/// How people and workspaces sign in to image registries. Kept in one file that only the server's
/// user may read; passwords are written and used, never shown.
class RegistryService {
 public:
  struct Shown {
    std::string server;
    std::string username;
    std::string workspace;  ///< empty: one's own
  };

  RegistryService(std::string file, store::WorkspaceStore& workspaces)
      : file_(std::move(file)), workspaces_(workspaces) {}
  /// Once, before anything else. No file is fine.
  Result<void> load();

  /// One's own, and those of the workspaces one belongs to.
  boost::asio::awaitable<Result<std::vector<Shown>>> list(auth::Principal who);
  /// Replaces what was there for that server. For a workspace: its managers.
  boost::asio::awaitable<Result<void>> set(auth::Principal who,
                                           std::string workspace,
                                           engine::RegistryLogin login);
  boost::asio::awaitable<Result<void>> remove(auth::Principal who,
                                              std::string workspace,
                                              std::string server);

  /// The owner's login for that registry, else the workspace's. Any thread.
  std::optional<engine::RegistryLogin> find(UserId owner,
                                            WorkspaceId workspace,
                                            const std::string& server) const;

 private:
  struct Key {
    bool is_workspace = false;
    std::int64_t id = 0;
    std::string server;
    auto operator<=>(const Key&) const = default;
  };

  boost::asio::awaitable<Result<Key>> key_of(const auth::Principal& who,
                                             const std::string& workspace,
                                             const std::string& server);
  Result<void> store(const std::map<Key, engine::RegistryLogin>& logins) const;

  const std::string file_;
  store::WorkspaceStore& workspaces_;
  mutable std::mutex mutex_;
  std::map<Key, engine::RegistryLogin> logins_;
};

/// `https://Index.Docker.io/v1/` is `docker.io`: what images and people call the same registry.
std::string registry_name(std::string_view text);

}  // namespace ty::control
