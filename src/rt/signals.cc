#include "rt/signals.h"

#include <boost/asio/signal_set.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <csignal>

namespace ty::rt {

namespace asio = boost::asio;

asio::awaitable<int> next_signal(std::vector<int> signals) {
  if (signals.empty()) signals = {SIGTERM, SIGINT};
  asio::signal_set set(co_await asio::this_coro::executor);
  for (const int signal : signals) set.add(signal);
  co_return co_await set.async_wait(asio::use_awaitable);
}

}  // namespace ty::rt
