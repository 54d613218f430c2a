#pragma once
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <optional>
#include <utility>

namespace ty::rt {

namespace detail {
template <class T>
boost::asio::awaitable<std::optional<T>> as_optional(boost::asio::awaitable<T> work) {
  co_return co_await std::move(work);
}
}  // namespace detail

/// Runs `work` on another executor (a component's strand, say) and comes back with its result.
///
/// Cancelling the caller does not reach the work; it takes effect once the work is done.
/// Boost 1.81's own way, a plain co_spawn across executors, hands the other thread a pointer into
/// the caller's frame and may outlive it.
template <class T>
boost::asio::awaitable<T> run_on(boost::asio::any_io_executor executor,
                                 boost::asio::awaitable<T> work) {
  namespace asio = boost::asio;
  auto back = asio::bind_cancellation_slot(asio::cancellation_slot(), asio::use_awaitable);
  if constexpr (std::is_void_v<T>) {
    co_await asio::co_spawn(executor, std::move(work), back);
  } else {
    auto result = co_await asio::co_spawn(executor, detail::as_optional(std::move(work)), back);
    co_return *std::move(result);
  }
}

}  // namespace ty::rt
