#include "store/registry_store.h"

#include <utility>

#include "store/messages.h"

namespace ty::store {

namespace asio = boost::asio;

asio::awaitable<Result<std::vector<RegistryLogin>>> RegistryStore::list() {
  auto read = [](Tx& tx) -> Result<std::vector<RegistryLogin>> {
    std::vector<RegistryLogin> all;
    auto rows = tx.query(
        "select user_id, workspace_id, server, username, sealed_password from registry_logins "
        "order by workspace_id, user_id, server");
    while (rows.next()) {
      all.push_back({.user = rows.get<UserId>(0),
                     .workspace = rows.get<WorkspaceId>(1),
                     .server = rows.get<std::string>(2),
                     .username = rows.get<std::string>(3),
                     .sealed_password = rows.get<std::string>(4)});
    }
    TY_DO(rows.status());
    return all;
  };
  co_return co_await db_.read(std::move(read));
}

asio::awaitable<Result<void>> RegistryStore::put(RegistryLogin login) {
  auto write = [&login](Tx& tx) -> Result<void> {
    TY_DO(
        tx.exec("insert into registry_logins (user_id, workspace_id, server, username, "
                "sealed_password) values (:user, :workspace, :server, :username, :password) "
                "on conflict (user_id, workspace_id, server) do update set "
                "username = excluded.username, sealed_password = excluded.sealed_password",
                login.user,
                login.workspace,
                login.server,
                login.username,
                login.sealed_password));
    return {};
  };
  co_return co_await db_.write(std::move(write));
}

asio::awaitable<Result<void>> RegistryStore::add_missing(std::vector<RegistryLogin> logins) {
  auto write = [&logins](Tx& tx) -> Result<void> {
    for (const RegistryLogin& login : logins) {
      TY_DO(
          tx.exec("insert into registry_logins (user_id, workspace_id, server, username, "
                  "sealed_password) values (:user, :workspace, :server, :username, :password) "
                  "on conflict (user_id, workspace_id, server) do nothing",
                  login.user,
                  login.workspace,
                  login.server,
                  login.username,
                  login.sealed_password));
    }
    return {};
  };
  co_return co_await db_.write(std::move(write));
}

asio::awaitable<Result<void>> RegistryStore::remove(UserId user,
                                                    WorkspaceId workspace,
                                                    std::string server) {
  auto write = [&](Tx& tx) -> Result<void> {
    TY_TRY(const auto gone,
           tx.exec("delete from registry_logins where user_id = :user and "
                   "workspace_id = :workspace and server = :server",
                   user,
                   workspace,
                   server));
    if (gone == 0) return fail(Errc::NotFound, say::no_registry_login({.server = server}));
    return {};
  };
  co_return co_await db_.write(std::move(write));
}

}  // namespace ty::store
