#pragma once
#include <boost/asio/awaitable.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/job.h"
#include "store/database.h"

namespace ty::store {

struct EventQuery {
  EventId after;                        ///< 0: from the beginning
  std::optional<JobSeq> job;            ///< of this job only
  std::vector<WorkspaceId> workspaces;  ///< those the caller may see; empty: all
  std::optional<UserId> owner;
  int limit = 100;  ///< 1…1000
};

struct EventPage {
  std::vector<model::Event> events;
  /// Go on from here: the last event looked at, whether it was wanted or not.
  EventId seen;
  bool more = false;  ///< there is more to look at already
};

/// The one stream of everything that happened. Ids grow in the order in which events become
/// visible, so a reader that has seen id n never finds a smaller one later. Any thread.
class EventStore {
 public:
  explicit EventStore(Database& db) : db_(db) {}

  boost::asio::awaitable<Result<EventPage>> after(EventQuery query);
  boost::asio::awaitable<Result<EventId>> last();

  /// An event that is not part of a job's change: a sign-in, a setting. `id` is the store's.
  boost::asio::awaitable<Result<EventId>> append(model::Event event);

  /// Drops events that happened before `before` and whose job is no longer kept or has ended, at
  /// most `limit` at once; answers how many.
  boost::asio::awaitable<Result<std::int64_t>> prune(Time before, int limit = 10'000);

 private:
  Database& db_;
};

}  // namespace ty::store
