#include "store/token_store.h"

#include <fmt/format.h>

#include <utility>

#include "base/text.h"
#include "store/impl/touch.h"
#include "store/messages.h"

namespace ty::store {

namespace asio = boost::asio;
using model::Session;
using model::Token;

namespace {

Token read_token(const Rows& rows) {
  const std::string scopes = rows.get<std::string>(4);
  return {.id = rows.get<TokenId>(0),
          .user = rows.get<UserId>(1),
          .name = rows.get<std::string>(2),
          .hash = rows.get<std::string>(3),
          .scopes = scopes.empty() ? std::vector<std::string>{} : split(scopes, ' '),
          .created_at = rows.get<Time>(5),
          .expires_at = rows.get<std::optional<Time>>(6),
          .last_used_at = rows.get<std::optional<Time>>(7)};
}

Session read_session(const Rows& rows) {
  return {.hash = rows.get<std::string>(0),
          .user = rows.get<UserId>(1),
          .client = rows.get<std::string>(2),
          .created_at = rows.get<Time>(3),
          .expires_at = rows.get<Time>(4),
          .last_seen_at = rows.get<std::optional<Time>>(5)};
}

}  // namespace

asio::awaitable<Result<Token>> TokenStore::create(Token token) {
  auto write = [&token](Tx& tx) -> Result<Token> {
    TY_TRY(auto taken,
           tx.value<TokenId>("select id from tokens where user_id = :user and name = :name",
                             token.user,
                             token.name));
    if (taken) {
      return fail(Errc::Conflict,
                  say::token_name_taken({.name = token.name}),
                  {{.pointer = "/name", .message = say::name_taken(), .code = "name_taken"}});
    }
    Token made = token;
    TY_TRY(made.id.value, tx.next_id(Sequence::Tokens));
    TY_DO(
        tx.exec("insert into tokens (id, user_id, name, hash, scopes, created_at, expires_at) "
                "values (:id, :user, :name, :hash, :scopes, :created_at, :expires_at)",
                made.id,
                made.user,
                made.name,
                made.hash,
                join(made.scopes, " "),
                made.created_at,
                made.expires_at));
    return made;
  };
  co_return co_await db_.write(std::move(write));
}

asio::awaitable<Result<Token>> TokenStore::find_by_hash(std::string hash) {
  auto read = [&hash](Tx& tx) -> Result<Token> {
    auto rows = tx.query(
        "select id, user_id, name, hash, scopes, created_at, expires_at, last_used_at from tokens "
        "where hash = :hash",
        hash);
    if (rows.next()) return read_token(rows);
    TY_DO(rows.status());
    return fail(Errc::NotFound, say::no_token());
  };
  co_return co_await db_.read(std::move(read));
}

asio::awaitable<Result<std::vector<Token>>> TokenStore::list(UserId user) {
  auto read = [user](Tx& tx) -> Result<std::vector<Token>> {
    std::vector<Token> tokens;
    auto rows = tx.query(
        "select id, user_id, name, hash, scopes, created_at, expires_at, last_used_at from tokens "
        "where user_id = :user order by name",
        user);
    while (rows.next()) tokens.push_back(read_token(rows));
    TY_DO(rows.status());
    return tokens;
  };
  co_return co_await db_.read(std::move(read));
}

asio::awaitable<Result<void>> TokenStore::remove(UserId user, TokenId id) {
  auto write = [user, id](Tx& tx) -> Result<void> {
    TY_TRY(const auto gone,
           tx.exec("delete from tokens where id = :id and user_id = :user", id, user));
    if (gone == 0) return fail(Errc::NotFound, say::no_token());
    return tx.remember_id(Sequence::Tokens, id.value);
  };
  co_return co_await db_.write(std::move(write));
}

asio::awaitable<Result<void>> TokenStore::touch(TokenId id, Time now) {
  auto due = [id, now](Tx& tx) {
    return tx.value<TokenId>(
        "select id from tokens where id = :id and "
        "(last_used_at is null or last_used_at < :before)",
        id,
        now - kTouchEvery);
  };
  auto write = [id, now](Tx& tx) -> Result<void> {
    TY_DO(tx.exec("update tokens set last_used_at = :now where id = :id", now, id));
    return {};
  };
  co_return co_await touch_where_due(db_, std::move(due), std::move(write));
}

asio::awaitable<Result<void>> SessionStore::create(Session session) {
  auto write = [&session](Tx& tx) -> Result<void> {
    TY_DO(
        tx.exec("insert into sessions (hash, user_id, client, created_at, expires_at) "
                "values (:hash, :user, :client, :created_at, :expires_at)",
                session.hash,
                session.user,
                session.client,
                session.created_at,
                session.expires_at));
    return {};
  };
  co_return co_await db_.write(std::move(write));
}

asio::awaitable<Result<Session>> SessionStore::find_by_hash(std::string hash) {
  auto read = [&hash](Tx& tx) -> Result<Session> {
    auto rows = tx.query(
        "select hash, user_id, client, created_at, expires_at, last_seen_at from sessions "
        "where hash = :hash",
        hash);
    if (rows.next()) return read_session(rows);
    TY_DO(rows.status());
    return fail(Errc::NotFound, say::no_session());
  };
  co_return co_await db_.read(std::move(read));
}

asio::awaitable<Result<std::vector<Session>>> SessionStore::list(UserId user) {
  auto read = [user](Tx& tx) -> Result<std::vector<Session>> {
    std::vector<Session> sessions;
    auto rows = tx.query(
        "select hash, user_id, client, created_at, expires_at, last_seen_at from sessions "
        "where user_id = :user order by created_at desc",
        user);
    while (rows.next()) sessions.push_back(read_session(rows));
    TY_DO(rows.status());
    return sessions;
  };
  co_return co_await db_.read(std::move(read));
}

asio::awaitable<Result<void>> SessionStore::touch(std::string hash, Time now, Time expires_at) {
  auto due = [&hash, now](Tx& tx) {
    return tx.value<std::int64_t>(
        "select user_id from sessions where hash = :hash and "
        "(last_seen_at is null or last_seen_at < :before)",
        hash,
        now - kTouchEvery);
  };
  auto write = [&hash, now, expires_at](Tx& tx) -> Result<void> {
    TY_DO(tx.exec(
        "update sessions set last_seen_at = :now, expires_at = :expires_at where hash = :hash",
        now,
        expires_at,
        hash));
    return {};
  };
  co_return co_await touch_where_due(db_, std::move(due), std::move(write));
}

asio::awaitable<Result<void>> SessionStore::remove(std::string hash) {
  auto write = [&hash](Tx& tx) -> Result<void> {
    TY_DO(tx.exec("delete from sessions where hash = :hash", hash));
    return {};
  };
  co_return co_await db_.write(std::move(write));
}

asio::awaitable<Result<void>> SessionStore::remove_all(UserId user) {
  auto write = [user](Tx& tx) -> Result<void> {
    TY_DO(tx.exec("delete from sessions where user_id = :user", user));
    return {};
  };
  co_return co_await db_.write(std::move(write));
}

asio::awaitable<Result<void>> SessionStore::create_link(model::SignInLink link) {
  auto write = [&link](Tx& tx) -> Result<void> {
    TY_DO(
        tx.exec("insert into sign_in_links (hash, user_id, created_at, expires_at) "
                "values (:hash, :user, :created_at, :expires_at)",
                link.hash,
                link.user,
                link.created_at,
                link.expires_at));
    return {};
  };
  co_return co_await db_.write(std::move(write));
}

asio::awaitable<Result<UserId>> SessionStore::use_link(std::string hash, Time now) {
  auto write = [&hash, now](Tx& tx) -> Result<UserId> {
    TY_TRY(auto user,
           tx.value<UserId>(
               "select user_id from sign_in_links where hash = :hash and expires_at > :now",
               hash,
               now));
    if (!user) {
      return fail(Errc::NotFound, say::sign_in_link_spent());
    }
    TY_DO(tx.exec("delete from sign_in_links where hash = :hash", hash));
    return *user;
  };
  co_return co_await db_.write(std::move(write));
}

asio::awaitable<Result<std::int64_t>> SessionStore::prune(Time now) {
  auto write = [now](Tx& tx) -> Result<std::int64_t> {
    TY_TRY(const auto sessions, tx.exec("delete from sessions where expires_at <= :now", now));
    TY_TRY(const auto links, tx.exec("delete from sign_in_links where expires_at <= :now", now));
    return sessions + links;
  };
  co_return co_await db_.write(std::move(write));
}

}  // namespace ty::store
