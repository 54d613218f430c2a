#pragma once
#include <boost/asio/awaitable.hpp>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/user.h"
#include "store/database.h"

namespace ty::store {

/// Users. Any thread.
class UserStore {
 public:
  explicit UserStore(Database& db) : db_(db) {}

  /// Conflict when the name is taken (capitals do not count). `id` is the store's.
  boost::asio::awaitable<Result<model::User>> create(model::User user);
  /// Everything but `id`, `created_at` and `last_seen_at`.
  boost::asio::awaitable<Result<void>> update(model::User user);
  boost::asio::awaitable<Result<model::User>> find(UserId id);
  boost::asio::awaitable<Result<model::User>> find_by_name(std::string name);
  /// By name.
  boost::asio::awaitable<Result<std::vector<model::User>>> list();
  /// Conflict while jobs of this user are kept.
  boost::asio::awaitable<Result<void>> remove(UserId id);
  /// Was here; not written more often than once a minute.
  boost::asio::awaitable<Result<void>> touch(UserId id, Time now);

 private:
  Database& db_;
};

}  // namespace ty::store
