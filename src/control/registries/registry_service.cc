#include "control/registries/registry_service.h"

#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include "auth/permission.h"
#include "base/text.h"
#include "control/data_dir.h"

namespace ty::control {

namespace asio = boost::asio;

namespace {

constexpr std::size_t kLongest = 4096;

/// Any text as one word of a line.
std::string to_hex(std::string_view text) {
  std::string out = "x";
  for (const unsigned char c : text) fmt::format_to(std::back_inserter(out), "{:02x}", c);
  return out;
}

std::optional<std::string> from_hex(std::string_view word) {
  const auto digit = [](char c) { return c >= 'a' ? c - 'a' + 10 : c - '0'; };
  if (!word.starts_with('x') || word.size() % 2 == 0) return std::nullopt;
  if (word.find_first_not_of("0123456789abcdef", 1) != std::string_view::npos) return std::nullopt;
  std::string out;
  for (std::size_t i = 1; i < word.size(); i += 2)
    out.push_back(static_cast<char>(digit(word[i]) << 4 | digit(word[i + 1])));
  return out;
}

Result<void> check(const engine::RegistryLogin& login) {
  std::vector<Fault> faults;
  const bool is_host = !login.server.empty() &&
                       login.server.find_first_of(" /\\?#@\t\r\n") == std::string::npos &&
                       login.server.size() <= 255;
  if (!is_host) {
    faults.push_back(
        {"/server", "is no registry; write for example registry.example.com:5000", "pattern"});
  }
  if (login.username.empty() || login.username.size() > kLongest)
    faults.push_back({"/username", "missing; write the name you have there", "missing"});
  if (login.password.empty() || login.password.reveal().size() > kLongest)
    faults.push_back({"/password", "missing; write the password or an access token", "missing"});
  if (faults.empty()) return {};
  std::string message = faults.front().pointer.substr(1) + " " + faults.front().message;
  return fail(Errc::Invalid, std::move(message), std::move(faults));
}

}  // namespace

std::string registry_name(std::string_view text) {
  std::string name = to_lower(text);
  for (const std::string_view scheme : {"https://", "http://"}) {
    if (name.starts_with(scheme)) name.erase(0, scheme.size());
  }
  if (name == "index.docker.io/v1/" || name == "index.docker.io" || name == "registry-1.docker.io")
    return "docker.io";
  while (name.ends_with('/')) name.pop_back();
  return name;
}

Result<void> RegistryService::load() {
  std::ifstream file(file_);
  std::string line;
  const std::lock_guard lock(mutex_);
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::string kind, server, username, password;
    Key key;
    words >> kind >> key.id >> server >> username >> password;
    const auto name = from_hex(server);
    const auto user = from_hex(username);
    const auto secret = from_hex(password);
    if (!name || !user || !secret || (kind != "user" && kind != "workspace"))
      return fail(Errc::Invalid, fmt::format("{} is damaged; remove it to start anew", file_));
    key.is_workspace = kind == "workspace";
    key.server = *name;
    logins_[key] = {.server = *name, .username = *user, .password = Secret(*secret)};
  }
  return {};
}

Result<void> RegistryService::store(const std::map<Key, engine::RegistryLogin>& logins) const {
  std::string text;
  for (const auto& [key, login] : logins) {
    text += fmt::format("{} {} {} {} {}\n",
                        key.is_workspace ? "workspace" : "user",
                        key.id,
                        to_hex(login.server),
                        to_hex(login.username),
                        to_hex(login.password.reveal()));
  }
  return replace_file(file_, text, 0600);
}

asio::awaitable<Result<RegistryService::Key>> RegistryService::key_of(const auth::Principal& who,
                                                                      const std::string& workspace,
                                                                      const std::string& server) {
  if (workspace.empty()) {
    TY_CO_DO(auth::may(who, auth::Action::ChangeAccount, {.owner = who.user}));
    co_return Key{.is_workspace = false, .id = who.user.value, .server = server};
  }
  auto found = co_await workspaces_.find_by_name(workspace);
  const bool is_visible =
      found && auth::may(who, auth::Action::ShowWorkspace, {.workspace = found->id});
  if (!is_visible) {
    co_return fail(Errc::NotFound,
                   fmt::format("there is no workspace \"{}\" for you", shorten(workspace)));
  }
  TY_CO_DO(auth::may(who, auth::Action::ManageMembers, {.workspace = found->id}));
  co_return Key{.is_workspace = true, .id = found->id.value, .server = server};
}

asio::awaitable<Result<std::vector<RegistryService::Shown>>> RegistryService::list(
    auth::Principal who) {
  std::vector<Shown> shown;
  std::map<Key, engine::RegistryLogin> logins;
  {
    const std::lock_guard lock(mutex_);
    logins = logins_;
  }
  for (const auto& [key, login] : logins) {
    Shown one{.server = login.server, .username = login.username};
    if (key.is_workspace) {
      const auto workspace = co_await workspaces_.find(WorkspaceId{key.id});
      if (!workspace ||
          !auth::may(who, auth::Action::ShowWorkspace, {.workspace = WorkspaceId{key.id}}))
        continue;
      one.workspace = workspace->name;
    } else if (key.id != who.user.value) {
      continue;
    }
    shown.push_back(std::move(one));
  }
  co_return shown;
}

asio::awaitable<Result<void>> RegistryService::set(auth::Principal who,
                                                   std::string workspace,
                                                   engine::RegistryLogin login) {
  login.server = registry_name(login.server);
  TY_CO_DO(check(login));
  TY_CO_TRY(const Key key, co_await key_of(who, workspace, login.server));
  const std::lock_guard lock(mutex_);
  auto changed = logins_;
  changed[key] = std::move(login);
  TY_CO_DO(store(changed));
  logins_ = std::move(changed);
  co_return Result<void>{};
}

asio::awaitable<Result<void>> RegistryService::remove(auth::Principal who,
                                                      std::string workspace,
                                                      std::string server) {
  server = registry_name(server);
  TY_CO_TRY(const Key key, co_await key_of(who, workspace, server));
  const std::lock_guard lock(mutex_);
  auto changed = logins_;
  if (changed.erase(key) == 0) {
    co_return fail(Errc::NotFound, fmt::format("no credentials are kept for {}", shorten(server)));
  }
  TY_CO_DO(store(changed));
  logins_ = std::move(changed);
  co_return Result<void>{};
}

std::optional<engine::RegistryLogin> RegistryService::find(UserId owner,
                                                           WorkspaceId workspace,
                                                           const std::string& server) const {
  const std::lock_guard lock(mutex_);
  const std::string name = registry_name(server);
  for (const Key& key : {Key{false, owner.value, name}, Key{true, workspace.value, name}}) {
    if (const auto found = logins_.find(key); found != logins_.end()) return found->second;
  }
  return std::nullopt;
}

}  // namespace ty::control
