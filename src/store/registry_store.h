#pragma once
#include <boost/asio/awaitable.hpp>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "store/database.h"

namespace ty::store {

/// How a person or a workspace signs in to an image registry.
struct RegistryLogin {
  UserId user;            ///< 0: it is a workspace's
  WorkspaceId workspace;  ///< 0: it is a person's
  std::string server;
  std::string username;
  std::string sealed_password;
};

/// Sign-ins to image registries, one for each owner and server. Any thread.
class RegistryStore {
 public:
  explicit RegistryStore(Database& db) : db_(db) {}

  boost::asio::awaitable<Result<std::vector<RegistryLogin>>> list();
  /// In place of what was there for that owner and server.
  boost::asio::awaitable<Result<void>> put(RegistryLogin login);
  /// All of them or none; what is there already stays as it is.
  boost::asio::awaitable<Result<void>> add_missing(std::vector<RegistryLogin> logins);
  /// NotFound when there is none.
  boost::asio::awaitable<Result<void>> remove(UserId user,
                                              WorkspaceId workspace,
                                              std::string server);

 private:
  Database& db_;
};

}  // namespace ty::store
