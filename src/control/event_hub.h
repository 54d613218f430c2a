#pragma once
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <mutex>
#include <vector>

#include "base/ids.h"
#include "base/time.h"

namespace ty::control {

/// Tells everyone who follows events that there are new ones. It carries no events: a follower
/// reads them from the store from where it stands, so a slow one costs nothing and a reconnecting
/// one misses nothing. Any thread.
class EventHub {
 public:
  /// Events up to `latest` are stored.
  void announce(EventId latest);

  /// Returns once events after `seen` exist, or after `patience` (for heartbeats), or when the hub
  /// closes.
  boost::asio::awaitable<void> wait_beyond(EventId seen, Millis patience);

  /// Everything up to here has been announced.
  EventId latest() const;

  /// Wakes all for good: the server ends.
  void close();
  bool closed() const;

 private:
  mutable std::mutex mutex_;
  EventId latest_;
  bool closed_ = false;
  std::vector<std::shared_ptr<boost::asio::steady_timer>> waiting_;
};

}  // namespace ty::control
