#pragma once
#include <boost/asio/awaitable.hpp>
#include <string>
#include <vector>

#include "auth/principal.h"
#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"
#include "model/job.h"

namespace ty::store {
class EventStore;
}

namespace ty::control {

class EventHub;
class JobFinder;

struct EventFilter {
  std::string job;  ///< reference; empty: all that the caller may see
  EventId after;
  int limit = 100;
};

struct EventPage {
  std::vector<model::Event> events;
  EventId seen;       ///< go on from here: the last event looked at, wanted or not
  bool more = false;  ///< there is more to look at already
};

/// What happened, for those who may know it. Any thread.
class EventService {
 public:
  struct Parts {
    store::EventStore& events;
    JobFinder& finder;
    EventHub& hub;
  };
  explicit EventService(Parts parts) : p_(parts) {}

  boost::asio::awaitable<Result<EventPage>> list(auth::Principal who, EventFilter filter);
  /// Waits until there are events after `seen`, or for `patience`. False when the server is ending.
  boost::asio::awaitable<bool> wait_beyond(EventId seen, Millis patience);
  /// Where a new follower begins.
  boost::asio::awaitable<Result<EventId>> last();

 private:
  Parts p_;
};

}  // namespace ty::control
