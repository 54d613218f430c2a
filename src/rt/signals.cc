#include "rt/signals.h"

#include <boost/asio/signal_set.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <csignal>

namespace ty::rt {

namespace asio = boost::asio;

asio::awaitable<int> told_to_end(std::function<void()> on_hangup) {
  asio::signal_set signals(co_await asio::this_coro::executor, SIGTERM, SIGINT);
  if (on_hangup) signals.add(SIGHUP);
  for (;;) {
    const int signal = co_await signals.async_wait(asio::use_awaitable);
    if (signal != SIGHUP) co_return signal;
    on_hangup();
  }
}

}  // namespace ty::rt
