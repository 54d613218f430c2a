#include "control/event_hub.h"

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace ty::control {

namespace asio = boost::asio;

void EventHub::announce(EventId latest) {
  std::vector<std::shared_ptr<asio::steady_timer>> woken;
  {
    const std::lock_guard lock(mutex_);
    latest_ = std::max(latest_, latest);
    woken.swap(waiting_);
  }
  // A timer belongs to its follower's thread: it is cancelled there.
  for (auto& timer : woken) {
    const auto executor = timer->get_executor();
    asio::post(executor, [timer = std::move(timer)] { timer->cancel(); });
  }
}

asio::awaitable<void> EventHub::wait_beyond(EventId seen, Millis patience) {
  const auto executor = co_await asio::this_coro::executor;
  auto timer = std::make_shared<asio::steady_timer>(executor, patience);
  {
    const std::lock_guard lock(mutex_);
    if (closed_ || latest_ > seen) co_return;
    waiting_.push_back(timer);
  }
  co_await timer->async_wait(asio::as_tuple(asio::use_awaitable));
  const std::lock_guard lock(mutex_);
  std::erase(waiting_, timer);
}

EventId EventHub::latest() const {
  const std::lock_guard lock(mutex_);
  return latest_;
}

void EventHub::close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  announce({});
}

bool EventHub::closed() const {
  const std::lock_guard lock(mutex_);
  return closed_;
}

}  // namespace ty::control
