#include "store/user_store.h"

#include <fmt/format.h>

#include <utility>

#include "base/text.h"
#include "store/impl/touch.h"
#include "store/messages.h"

namespace ty::store {

namespace asio = boost::asio;
using model::User;

namespace {

constexpr const char* kById =
    "select id, name, display_name, email, administrator, disabled, password_hash, created_at, "
    "last_seen_at "
    "from users where id = :id";
constexpr const char* kByName =
    "select id, name, display_name, email, administrator, disabled, password_hash, created_at, "
    "last_seen_at "
    "from users where name_key = :name";
constexpr const char* kAll =
    "select id, name, display_name, email, administrator, disabled, password_hash, created_at, "
    "last_seen_at "
    "from users order by name_key";

User read_user(const Rows& rows) {
  return {.id = rows.get<UserId>(0),
          .name = rows.get<std::string>(1),
          .display_name = rows.get<std::string>(2),
          .email = rows.get<std::string>(3),
          .administrator = rows.integer(4) != 0,
          .disabled = rows.integer(5) != 0,
          .password_hash = Secret(rows.get<std::string>(6)),
          .created_at = rows.get<Time>(7),
          .last_seen_at = rows.get<std::optional<Time>>(8)};
}

Result<User> first_user(Rows rows, std::string_view called) {
  if (rows.next()) return read_user(rows);
  TY_DO(rows.status());
  return fail(Errc::NotFound, say::no_such_user({.name = called}));
}

Result<void> refuse_taken(Tx& tx, const User& user) {
  TY_TRY(auto other,
         tx.value<UserId>("select id from users where name_key = :name", to_lower(user.name)));
  if (other && *other != user.id) {
    return fail(Errc::Conflict,
                say::user_name_taken({.name = user.name}),
                {{.pointer = "/name", .message = say::name_taken(), .code = "name_taken"}});
  }
  return {};
}

}  // namespace

asio::awaitable<Result<User>> UserStore::create(User user) {
  auto write = [&user](Tx& tx) -> Result<User> {
    User made = user;
    made.id = {};
    TY_DO(refuse_taken(tx, made));
    TY_TRY(made.id.value, tx.next_id(Sequence::Users));
    TY_DO(tx.exec(
        "insert into users (id, name, name_key, display_name, email, administrator, disabled, "
        "password_hash, created_at) values (:id, :name, :name_key, :display_name, :email, "
        ":administrator, "
        ":disabled, :password_hash, :created_at)",
        made.id,
        made.name,
        to_lower(made.name),
        made.display_name,
        made.email,
        made.administrator,
        made.disabled,
        made.password_hash.reveal(),
        made.created_at));
    return made;
  };
  co_return co_await db_.write(std::move(write));
}

asio::awaitable<Result<void>> UserStore::update(User user) {
  auto write = [&user](Tx& tx) -> Result<void> {
    TY_DO(refuse_taken(tx, user));
    TY_TRY(const auto changed,
           tx.exec(
               "update users set name = :name, name_key = :name_key, display_name = :display_name, "
               "email = :email, administrator = :administrator, disabled = :disabled, "
               "password_hash = :password_hash where id = :id",
               user.name,
               to_lower(user.name),
               user.display_name,
               user.email,
               user.administrator,
               user.disabled,
               user.password_hash.reveal(),
               user.id));
    if (changed == 0) return fail(Errc::NotFound, say::no_such_user({.name = user.name}));
    return {};
  };
  co_return co_await db_.write(std::move(write));
}

asio::awaitable<Result<User>> UserStore::find(UserId id) {
  auto read = [id](Tx& tx) { return first_user(tx.query(kById, id), "of this number"); };
  co_return co_await db_.read(std::move(read));
}

asio::awaitable<Result<User>> UserStore::find_by_name(std::string name) {
  auto read = [&name](Tx& tx) {
    return first_user(tx.query(kByName, to_lower(name)), "called " + name);
  };
  co_return co_await db_.read(std::move(read));
}

asio::awaitable<Result<std::vector<User>>> UserStore::list() {
  auto read = [](Tx& tx) -> Result<std::vector<User>> {
    std::vector<User> users;
    auto rows = tx.query(kAll);
    while (rows.next()) users.push_back(read_user(rows));
    TY_DO(rows.status());
    return users;
  };
  co_return co_await db_.read(std::move(read));
}

asio::awaitable<Result<void>> UserStore::remove(UserId id) {
  auto write = [id](Tx& tx) -> Result<void> {
    TY_TRY(auto jobs,
           tx.value<std::int64_t>(
               "select jobs from job_counts where owner_id = :id and jobs > 0 limit 1", id));
    if (jobs) {
      return fail(Errc::Conflict, say::user_has_jobs());
    }
    TY_TRY(const auto gone, tx.exec("delete from users where id = :id", id));
    if (gone == 0) return fail(Errc::NotFound, say::no_user());
    for (const char* sql : {"delete from tokens where user_id = :id",
                            "delete from sessions where user_id = :id",
                            "delete from sign_in_links where user_id = :id",
                            "delete from memberships where user_id = :id",
                            "delete from registry_logins where user_id = :id"}) {
      TY_DO(tx.exec(sql, id));
    }
    return tx.remember_id(Sequence::Users, id.value);
  };
  co_return co_await db_.write(std::move(write));
}

asio::awaitable<Result<void>> UserStore::touch(UserId id, Time now) {
  auto due = [id, now](Tx& tx) {
    return tx.value<std::int64_t>(
        "select id from users where id = :id and "
        "(last_seen_at is null or last_seen_at < :before)",
        id,
        now - kTouchEvery);
  };
  auto write = [id, now](Tx& tx) -> Result<void> {
    TY_DO(tx.exec("update users set last_seen_at = :now where id = :id", now, id));
    return {};
  };
  co_return co_await touch_where_due(db_, std::move(due), std::move(write));
}

}  // namespace ty::store
