#include "control/registries/registry_service.h"

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>

#include "auth/permission.h"
#include "base/text.h"
#include "control/messages.h"
#include "control/registries/old_registries_file.h"
#include "control/secret_box.h"
#include "engine/image_name.h"
#include "engine/launch.h"
#include "rt/log.h"
#include "store/registry_store.h"
#include "store/workspace_store.h"

namespace ty::control {

namespace asio = boost::asio;

namespace {

constexpr std::size_t kLongest = 4096;

Result<void> check(const NewRegistryLogin& login) {
  std::vector<Fault> faults;
  const bool is_host = !login.server.empty() &&
                       login.server.find_first_of(" /\\?#@\t\r\n") == std::string::npos &&
                       login.server.size() <= 255;
  if (!is_host) {
    faults.push_back({"/server", say::not_a_registry(), "pattern"});
  }
  if (login.username.empty() || login.username.size() > kLongest)
    faults.push_back({"/username", say::missing_registry_user(), "missing"});
  if (login.password.empty() || login.password.reveal().size() > kLongest)
    faults.push_back({"/password", say::missing_registry_password(), "missing"});
  if (faults.empty()) return {};
  Message first = within(plain(faults.front().pointer.substr(1)), faults.front().message);
  return fail(Errc::Invalid, std::move(first), std::move(faults));
}

/// Gone, and still gone after a power cut: otherwise a password that somebody removed meanwhile
/// would come back with the file.
Result<void> remove_for_good(const std::filesystem::path& file) {
  std::error_code ec;
  std::filesystem::remove(file, ec);
  const int folder = ::open(file.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool is_synced = folder >= 0 && ::fsync(folder) == 0;
  if (folder >= 0) ::close(folder);
  if (ec || !is_synced)
    return fail(Errc::Unavailable, say::server_file_not_removed({.path = file.string()}));
  return {};
}

}  // namespace

asio::awaitable<Result<void>> RegistryService::load(std::string old_file) {
  TY_CO_DO(co_await take_over(std::move(old_file)));
  co_return co_await refresh();
}

asio::awaitable<Result<void>> RegistryService::take_over(std::string old_file) {
  std::error_code ec;
  if (!std::filesystem::exists(old_file, ec)) co_return Result<void>{};
  TY_CO_TRY(std::vector<OldRegistryLogin> old, read_old_registries(old_file));
  std::vector<store::RegistryLogin> rows;
  for (OldRegistryLogin& login : old) {
    TY_CO_TRY(std::string sealed, p_.secrets.seal(login.password));
    rows.push_back({.user = UserId{login.is_workspace ? 0 : login.id},
                    .workspace = WorkspaceId{login.is_workspace ? login.id : 0},
                    .server = std::move(login.server),
                    .username = std::move(login.username),
                    .sealed_password = std::move(sealed)});
  }
  const std::size_t count = rows.size();
  // On disk before the file goes. If we die in between, the next start finds both and takes over
  // what is missing, which is nothing.
  TY_CO_DO(co_await p_.logins.add_missing(std::move(rows)));
  TY_CO_DO(remove_for_good(old_file));
  log::info("registries.taken_over file={} logins={}", old_file, count);
  co_return Result<void>{};
}

asio::awaitable<Result<void>> RegistryService::refresh() {
  std::uint64_t mine = 0;
  {
    const std::lock_guard lock(mutex_);
    mine = ++asked_;
  }
  TY_CO_TRY(std::vector<store::RegistryLogin> rows, co_await p_.logins.list());
  std::map<Key, Login> logins;
  for (store::RegistryLogin& row : rows) {
    const Result<Secret> password =
        p_.secrets.open(model::SecretRef{.sealed = row.sealed_password});
    if (!password) {
      log::warn("registries.unreadable server={} problem={}", row.server, password.error().message);
      continue;
    }
    logins[{Owner{row.user, row.workspace}, std::move(row.server)}] = {
        .username = std::move(row.username), .password = *password};
  }
  // Of two who changed something at once, whoever began to read later has seen both changes.
  const std::lock_guard lock(mutex_);
  if (mine > shown_) {
    shown_ = mine;
    logins_ = std::move(logins);
  }
  co_return Result<void>{};
}

asio::awaitable<Result<RegistryService::Owner>> RegistryService::owner_of(auth::Principal who,
                                                                          std::string workspace) {
  if (workspace.empty()) {
    TY_CO_DO(auth::may(who, auth::Action::ChangeAccount, {.owner = who.user}));
    co_return Owner{.user = who.user};
  }
  auto found = co_await p_.workspaces.find_by_name(workspace);
  const bool is_visible =
      found && auth::may(who, auth::Action::ShowWorkspace, {.workspace = found->id});
  if (!is_visible) {
    co_return fail(Errc::NotFound, say::no_workspace_for_you({.name = shorten(workspace)}));
  }
  TY_CO_DO(auth::may(who, auth::Action::ManageMembers, {.workspace = found->id}));
  co_return Owner{.workspace = found->id};
}

asio::awaitable<Result<std::vector<RegistryView>>> RegistryService::list(auth::Principal who) {
  std::vector<RegistryView> shown;
  std::map<Key, Login> logins;
  {
    const std::lock_guard lock(mutex_);
    logins = logins_;
  }
  for (const auto& [key, login] : logins) {
    const auto& [owner, server] = key;
    RegistryView one{.server = server, .username = login.username};
    if (owner.workspace.value != 0) {
      const auto workspace = co_await p_.workspaces.find(owner.workspace);
      if (!workspace ||
          !auth::may(who, auth::Action::ShowWorkspace, {.workspace = owner.workspace}))
        continue;
      one.workspace = workspace->name;
    } else if (owner.user != who.user) {
      continue;
    }
    shown.push_back(std::move(one));
  }
  co_return shown;
}

asio::awaitable<Result<void>> RegistryService::set(auth::Principal who,
                                                   std::string workspace,
                                                   NewRegistryLogin login) {
  login.server = engine::registry_name(login.server);
  TY_CO_DO(check(login));
  TY_CO_TRY(const Owner owner, co_await owner_of(who, std::move(workspace)));
  TY_CO_TRY(std::string sealed, p_.secrets.seal(login.password));
  store::RegistryLogin row{.user = owner.user,
                           .workspace = owner.workspace,
                           .server = std::move(login.server),
                           .username = std::move(login.username),
                           .sealed_password = std::move(sealed)};
  TY_CO_DO(co_await p_.logins.put(std::move(row)));
  co_return co_await refresh();
}

asio::awaitable<Result<void>> RegistryService::remove(auth::Principal who,
                                                      std::string workspace,
                                                      std::string server) {
  TY_CO_TRY(const Owner owner, co_await owner_of(who, std::move(workspace)));
  TY_CO_DO(co_await p_.logins.remove(owner.user, owner.workspace, engine::registry_name(server)));
  co_return co_await refresh();
}

std::optional<engine::RegistryLogin> RegistryService::find(UserId owner,
                                                           WorkspaceId workspace,
                                                           const std::string& server) const {
  const std::lock_guard lock(mutex_);
  const std::string name = engine::registry_name(server);
  for (const Owner& one : {Owner{.user = owner}, Owner{.workspace = workspace}}) {
    if (const auto found = logins_.find({one, name}); found != logins_.end()) {
      return engine::RegistryLogin{
          .server = name, .username = found->second.username, .password = found->second.password};
    }
  }
  return std::nullopt;
}

std::vector<engine::RegistryLogin> RegistryService::all(UserId owner, WorkspaceId workspace) const {
  const std::lock_guard lock(mutex_);
  std::vector<engine::RegistryLogin> found;
  for (const Owner& one : {Owner{.user = owner}, Owner{.workspace = workspace}}) {
    for (auto at = logins_.lower_bound({one, ""}); at != logins_.end() && at->first.first == one;
         ++at) {
      found.push_back({.server = at->first.second,
                       .username = at->second.username,
                       .password = at->second.password});
    }
  }
  return found;
}

}  // namespace ty::control
