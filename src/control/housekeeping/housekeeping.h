#pragma once
#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <memory>

#include "base/time.h"

namespace ty::config {
struct Config;
}
namespace ty::rt {
class BlockingPool;
}
namespace ty::store {
class JobStore;
class SessionStore;
}  // namespace ty::store
namespace ty::telemetry {
class TaskRecords;
}

namespace ty::control {

class Deletions;
class TaskBoard;
class Uploads;

/// Removes what nobody needs any more: jobs whose ttl is over, old idempotency keys, expired
/// sessions, code that no job uses, logs past their time. Every step stands alone: one that fails
/// (a full disk cannot record that a job is gone) does not keep the next from giving space back.
class Housekeeping {
 public:
  struct Parts {
    store::JobStore& jobs;
    store::SessionStore& sessions;
    Uploads& uploads;
    const TaskBoard& board;
    std::shared_ptr<telemetry::TaskRecords> records;
    rt::BlockingPool& pool;
    Deletions& deletions;
    const Clock& clock;
    const config::Config& config;
  };
  explicit Housekeeping(Parts parts) : p_(std::move(parts)) {}

  /// A round now and then, until it is cancelled.
  boost::asio::awaitable<void> run();
  /// One round.
  boost::asio::awaitable<void> round();
  /// A round under way ends soon. Any thread.
  void stop() { stopped_ = true; }

 private:
  boost::asio::awaitable<void> remove_expired_jobs(Time now);
  boost::asio::awaitable<void> remove_idle_uploads(Time before);
  boost::asio::awaitable<void> sweep_logs(Time now);

  Parts p_;
  std::atomic<bool> stopped_ = false;
};

}  // namespace ty::control
