#pragma once
#include <boost/asio/awaitable.hpp>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/user.h"
#include "store/database.h"

namespace ty::store {

/// What people show to be let in: access tokens, browser sessions, one-time links. The store keeps
/// and finds them by hash only. Any thread.
class TokenStore {
 public:
  explicit TokenStore(Database& db) : db_(db) {}

  /// Conflict when the user has one of this name. `id` is the store's.
  boost::asio::awaitable<Result<model::Token>> create(model::Token token);
  /// Also finds expired ones: the caller says so to its user.
  boost::asio::awaitable<Result<model::Token>> find_by_hash(std::string hash);
  boost::asio::awaitable<Result<std::vector<model::Token>>> list(UserId user);
  boost::asio::awaitable<Result<void>> remove(UserId user, TokenId id);
  /// Was used; not written more often than once a minute.
  boost::asio::awaitable<Result<void>> touch(TokenId id, Time now);

 private:
  Database& db_;
};

class SessionStore {
 public:
  explicit SessionStore(Database& db) : db_(db) {}

  boost::asio::awaitable<Result<void>> create(model::Session session);
  boost::asio::awaitable<Result<model::Session>> find_by_hash(std::string hash);
  boost::asio::awaitable<Result<std::vector<model::Session>>> list(UserId user);
  /// Was used, and lives until `expires_at`; not written more often than once a minute.
  boost::asio::awaitable<Result<void>> touch(std::string hash, Time now, Time expires_at);
  boost::asio::awaitable<Result<void>> remove(std::string hash);
  boost::asio::awaitable<Result<void>> remove_all(UserId user);

  boost::asio::awaitable<Result<void>> create_link(model::SignInLink link);
  /// Gives the link's user once; NotFound for a link that was used, has expired or never was.
  boost::asio::awaitable<Result<UserId>> use_link(std::string hash, Time now);

  /// Drops sessions and links that have expired.
  boost::asio::awaitable<Result<std::int64_t>> prune(Time now);

 private:
  Database& db_;
};

}  // namespace ty::store
