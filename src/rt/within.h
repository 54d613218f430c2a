#pragma once
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <optional>
#include <utility>

#include "base/messages.h"
#include "base/result.h"
#include "base/time.h"

namespace ty::rt {

namespace detail {
template <class T>
boost::asio::awaitable<std::optional<Result<T>>> kept(boost::asio::awaitable<Result<T>> work) {
  co_return co_await std::move(work);
}
}  // namespace detail

/// Gives `work` so long: `co_await rt::within(10s, client.get(path))`. When the time is over the
/// work is cancelled, its end awaited, and the answer is `Errc::Timeout`. Cancelling the caller
/// cancels the work.
template <class T>
boost::asio::awaitable<Result<T>> within(Millis limit, boost::asio::awaitable<Result<T>> work) {
  namespace asio = boost::asio;
  const auto executor = co_await asio::this_coro::executor;
  asio::steady_timer timer(executor, limit);
  auto both = asio::experimental::make_parallel_group(
      asio::co_spawn(executor, detail::kept<T>(std::move(work)), asio::deferred),
      timer.async_wait(asio::deferred));
  auto [order, thrown, result, timer_error] =
      co_await both.async_wait(asio::experimental::wait_for_one(), asio::use_awaitable);
  const bool late = order[0] == 1 && !timer_error;
  // A value that was there before the cancellation reached the work counts; an error may be nothing
  // but its echo.
  if (result && (result->has_value() || !late)) co_return *std::move(result);
  if (late) co_return fail(Errc::Timeout, ty::say::no_answer_within({.time = limit}));
  std::rethrow_exception(thrown);
}

}  // namespace ty::rt
