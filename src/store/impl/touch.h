#pragma once
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <utility>

#include "store/database.h"

namespace ty::store {

/// How exactly we know when somebody was last here.
inline constexpr std::chrono::seconds kTouchEvery{60};

/// Notes that somebody was here: `write` only where `due`, a question that reads, has an answer.
/// Every request asks, and hardly any has to write.
template <class Due, class Write>
boost::asio::awaitable<Result<void>> touch_where_due(Database& db, Due due, Write write) {
  auto is_due = co_await db.read(std::move(due));
  if (!is_due) co_return std::unexpected(std::move(is_due).error());
  if (!*is_due) co_return Result<void>{};
  co_return co_await db.write(std::move(write));
}

}  // namespace ty::store
