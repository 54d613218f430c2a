#include "store/workspace_store.h"

#include <fmt/format.h>

#include <utility>

#include "store/messages.h"

namespace ty::store {

namespace asio = boost::asio;
using model::Membership;
using model::Workspace;
using model::WorkspaceRole;

namespace {

Workspace read_workspace(const Rows& rows) {
  return {.id = rows.get<WorkspaceId>(0),
          .name = rows.get<std::string>(1),
          .description = rows.get<std::string>(2),
          .created_at = rows.get<Time>(3)};
}

Result<Workspace> first_workspace(Rows rows, std::string_view called) {
  if (rows.next()) return read_workspace(rows);
  TY_DO(rows.status());
  return fail(Errc::NotFound, say::no_such_workspace({.name = called}));
}

Result<void> refuse_taken(Tx& tx, const Workspace& workspace) {
  TY_TRY(auto other,
         tx.value<WorkspaceId>("select id from workspaces where name = :name", workspace.name));
  if (other && *other != workspace.id) {
    return fail(Errc::Conflict,
                say::workspace_name_taken({.name = workspace.name}),
                {{.pointer = "/name", .message = say::name_taken(), .code = "name_taken"}});
  }
  return {};
}

Result<std::vector<Membership>> read_memberships(Rows rows) {
  std::vector<Membership> all;
  while (rows.next()) {
    all.push_back({.user = rows.get<UserId>(0),
                   .user_name = rows.get<std::string>(1),
                   .workspace = rows.get<WorkspaceId>(2),
                   .workspace_name = rows.get<std::string>(3),
                   .role = rows.get<WorkspaceRole>(4)});
  }
  TY_DO(rows.status());
  return all;
}

}  // namespace

asio::awaitable<Result<Workspace>> WorkspaceStore::create(Workspace workspace) {
  auto write = [&workspace](Tx& tx) -> Result<Workspace> {
    Workspace made = workspace;
    made.id = {};
    TY_DO(refuse_taken(tx, made));
    TY_TRY(made.id.value, tx.next_id(Sequence::Workspaces));
    TY_DO(
        tx.exec("insert into workspaces (id, name, description, created_at) "
                "values (:id, :name, :description, :created_at)",
                made.id,
                made.name,
                made.description,
                made.created_at));
    return made;
  };
  co_return co_await db_.write(std::move(write));
}

std::optional<Workspace> WorkspaceStore::Known::find(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? std::nullopt : std::optional(found->second);
}

std::uint64_t WorkspaceStore::Known::generation() const {
  const std::lock_guard lock(mutex_);
  return generation_;
}

void WorkspaceStore::Known::keep(const Workspace& workspace, std::uint64_t generation) {
  const std::lock_guard lock(mutex_);
  if (generation == generation_) by_name_.insert_or_assign(workspace.name, workspace);
}

void WorkspaceStore::Known::forget() {
  const std::lock_guard lock(mutex_);
  by_name_.clear();
  ++generation_;
}

asio::awaitable<Result<Workspace>> WorkspaceStore::find(WorkspaceId id) {
  auto read = [id](Tx& tx) {
    return first_workspace(
        tx.query("select id, name, description, created_at from workspaces where id = :id", id),
        "of this number");
  };
  co_return co_await db_.read(std::move(read));
}

asio::awaitable<Result<Workspace>> WorkspaceStore::find_by_name(std::string name) {
  if (auto known = known_.find(name)) co_return *std::move(known);
  const std::uint64_t generation = known_.generation();
  auto read = [&name](Tx& tx) {
    return first_workspace(
        tx.query("select id, name, description, created_at from workspaces where name = :name",
                 name),
        "called " + name);
  };
  Result<Workspace> found = co_await db_.read(std::move(read));
  if (found) known_.keep(*found, generation);
  co_return found;
}

asio::awaitable<Result<std::vector<Workspace>>> WorkspaceStore::list() {
  auto read = [](Tx& tx) -> Result<std::vector<Workspace>> {
    std::vector<Workspace> all;
    auto rows = tx.query("select id, name, description, created_at from workspaces order by name");
    while (rows.next()) all.push_back(read_workspace(rows));
    TY_DO(rows.status());
    return all;
  };
  co_return co_await db_.read(std::move(read));
}

asio::awaitable<Result<void>> WorkspaceStore::update(Workspace workspace) {
  auto write = [&workspace](Tx& tx) -> Result<void> {
    TY_DO(refuse_taken(tx, workspace));
    TY_TRY(const auto changed,
           tx.exec("update workspaces set name = :name, description = :description where id = :id",
                   workspace.name,
                   workspace.description,
                   workspace.id));
    if (changed == 0) return fail(Errc::NotFound, say::no_such_workspace({.name = workspace.name}));
    return {};
  };
  Result<void> written = co_await db_.write(std::move(write));
  known_.forget();  // also when it failed: a lost connection may have lost only the answer
  co_return written;
}

asio::awaitable<Result<void>> WorkspaceStore::remove(WorkspaceId id) {
  auto write = [id](Tx& tx) -> Result<void> {
    TY_TRY(auto jobs,
           tx.value<std::int64_t>(
               "select jobs from job_counts where owner_id = 0 and workspace_id = :id and jobs > 0 "
               "limit 1",
               id));
    if (jobs) return fail(Errc::Conflict, say::workspace_has_jobs());
    TY_TRY(const auto gone, tx.exec("delete from workspaces where id = :id", id));
    if (gone == 0) return fail(Errc::NotFound, say::no_workspace());
    TY_DO(tx.exec("delete from memberships where workspace_id = :id", id));
    TY_DO(tx.exec("delete from registry_logins where workspace_id = :id", id));
    return tx.remember_id(Sequence::Workspaces, id.value);
  };
  Result<void> written = co_await db_.write(std::move(write));
  known_.forget();
  co_return written;
}

asio::awaitable<Result<void>> WorkspaceStore::set_member(UserId user,
                                                         WorkspaceId workspace,
                                                         WorkspaceRole role) {
  auto write = [user, workspace, role](Tx& tx) -> Result<void> {
    TY_TRY(auto known, tx.value<UserId>("select id from users where id = :user", user));
    if (!known) return fail(Errc::NotFound, say::no_user());
    TY_TRY(auto place,
           tx.value<WorkspaceId>("select id from workspaces where id = :workspace", workspace));
    if (!place) return fail(Errc::NotFound, say::no_workspace());
    TY_DO(tx.exec(
        "insert into memberships (user_id, workspace_id, role) values (:user, :workspace, :role) "
        "on conflict (user_id, workspace_id) do update set role = excluded.role",
        user,
        workspace,
        role));
    return {};
  };
  co_return co_await db_.write(std::move(write));
}

asio::awaitable<Result<void>> WorkspaceStore::remove_member(UserId user, WorkspaceId workspace) {
  auto write = [user, workspace](Tx& tx) -> Result<void> {
    TY_TRY(const auto gone,
           tx.exec("delete from memberships where user_id = :user and workspace_id = :workspace",
                   user,
                   workspace));
    if (gone == 0) return fail(Errc::NotFound, say::not_a_member());
    return {};
  };
  co_return co_await db_.write(std::move(write));
}

asio::awaitable<Result<std::vector<Membership>>> WorkspaceStore::members(WorkspaceId workspace) {
  auto read = [workspace](Tx& tx) {
    return read_memberships(
        tx.query("select m.user_id, u.name, m.workspace_id, w.name, m.role from memberships m "
                 "join users u on u.id = m.user_id join workspaces w on w.id = m.workspace_id "
                 "where m.workspace_id = :workspace order by u.name_key",
                 workspace));
  };
  co_return co_await db_.read(std::move(read));
}

asio::awaitable<Result<std::vector<Membership>>> WorkspaceStore::memberships(UserId user) {
  auto read = [user](Tx& tx) {
    return read_memberships(
        tx.query("select m.user_id, u.name, m.workspace_id, w.name, m.role from memberships m "
                 "join users u on u.id = m.user_id join workspaces w on w.id = m.workspace_id "
                 "where m.user_id = :user order by w.name",
                 user));
  };
  co_return co_await db_.read(std::move(read));
}

asio::awaitable<Result<std::optional<WorkspaceRole>>> WorkspaceStore::role(UserId user,
                                                                           WorkspaceId workspace) {
  auto read = [user, workspace](Tx& tx) {
    return tx.value<WorkspaceRole>(
        "select role from memberships where user_id = :user and workspace_id = :workspace",
        user,
        workspace);
  };
  co_return co_await db_.read(std::move(read));
}

asio::awaitable<Result<std::optional<std::string>>> SettingStore::get(std::string name) {
  auto read = [&name](Tx& tx) {
    return tx.value<std::string>("select value from settings where name = :name", name);
  };
  co_return co_await db_.read(std::move(read));
}

asio::awaitable<Result<void>> SettingStore::set(std::string name, std::string value) {
  auto write = [&name, &value](Tx& tx) -> Result<void> {
    TY_DO(
        tx.exec("insert into settings (name, value) values (:name, :value) "
                "on conflict (name) do update set value = excluded.value",
                name,
                value));
    return {};
  };
  co_return co_await db_.write(std::move(write));
}

asio::awaitable<Result<void>> SettingStore::replace(std::string name,
                                                    std::optional<std::string> before,
                                                    std::string value) {
  auto write = [&name, &before, &value](Tx& tx) -> Result<void> {
    TY_TRY(auto there,
           tx.value<std::string>("select value from settings where name = :name", name));
    if (there != before) return fail(Errc::Conflict, say::changed_by_somebody_else());
    TY_DO(
        tx.exec("insert into settings (name, value) values (:name, :value) "
                "on conflict (name) do update set value = excluded.value",
                name,
                value));
    return {};
  };
  co_return co_await db_.write(std::move(write));
}

asio::awaitable<Result<std::string>> SettingStore::get_or_set(std::string name, std::string value) {
  auto write = [&name, &value](Tx& tx) -> Result<std::string> {
    TY_TRY(auto there,
           tx.value<std::string>("select value from settings where name = :name", name));
    if (there) return *std::move(there);
    TY_DO(tx.exec("insert into settings (name, value) values (:name, :value)", name, value));
    return value;
  };
  co_return co_await db_.write(std::move(write));
}

}  // namespace ty::store
