#pragma once
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

namespace ty::rt {

/// Threads for what cannot be awaited: password hashing, log search, archives, big files.
///
/// `auto digest = co_await pool.run([…] { return slow(…); });` runs the function on a pool thread
/// and goes on where the caller was. The function is never abandoned half-way: a cancelled caller
/// gets its cancellation only after the function has returned, so what it captured by reference
/// stays valid. Exceptions come back to the caller.
class BlockingPool {
 public:
  explicit BlockingPool(std::size_t threads) : pool_(threads) {}
  /// Waits for everything that was handed in. The loops of waiting callers must still exist.
  ~BlockingPool() { pool_.join(); }
  BlockingPool(const BlockingPool&) = delete;
  BlockingPool& operator=(const BlockingPool&) = delete;

  /// For those who await nothing. The function must not throw.
  template <class F>
  void post(F function) {
    boost::asio::post(pool_, std::move(function));
  }

  template <class F>
  boost::asio::awaitable<std::invoke_result_t<F&>> run(F function) {
    using T = std::invoke_result_t<F&>;
    // Boost 1.81 needs default-constructible results on the way back; optional is one.
    using Kept = std::conditional_t<std::is_void_v<T>, std::monostate, std::optional<T>>;
    auto start = [this, &function](auto handler) {
      auto executor = boost::asio::prefer(boost::asio::get_associated_executor(handler),
                                          boost::asio::execution::outstanding_work.tracked);
      auto work = [&function, executor, handler = std::move(handler)]() mutable {
        std::exception_ptr thrown;
        Kept kept;
        try {
          if constexpr (std::is_void_v<T>) {
            function();
          } else {
            kept.emplace(function());
          }
        } catch (...) {
          thrown = std::current_exception();
        }
        auto back = [handler = std::move(handler), thrown, kept = std::move(kept)]() mutable {
          std::move(handler)(thrown, std::move(kept));
        };
        boost::asio::post(executor, std::move(back));
      };
      boost::asio::post(pool_, std::move(work));
    };
    auto kept = co_await boost::asio::async_initiate<const boost::asio::use_awaitable_t<>,
                                                     void(std::exception_ptr, Kept)>(
        start, boost::asio::use_awaitable);
    if constexpr (!std::is_void_v<T>) co_return std::move(*kept);
  }

 private:
  boost::asio::thread_pool pool_;
};

}  // namespace ty::rt
