#pragma once
#include <boost/asio/awaitable.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "auth/principal.h"
#include "base/result.h"
#include "base/time.h"
#include "model/job.h"
#include "model/job_spec.h"
#include "model/task_usage.h"

namespace ty::engine {
class Engine;
struct UsageReport;
}  // namespace ty::engine
namespace ty::rt {
class BlockingPool;
}
namespace ty::telemetry {
class TaskRecords;
}

namespace ty::control {

class Controller;
class LogService;

struct UsageQuery {
  std::string task;            ///< `worker-1`; empty: all of them
  std::optional<int> attempt;  ///< of the job; null: the present or last one
  std::optional<Time> since;
  std::size_t points = 0;  ///< of the curve, at most; 0: only what is used now
};

/// A point of a curve: one look at the task, and what it used on average since the point before.
struct UsagePoint {
  model::TaskUsage usage;
  std::optional<double> cpus;
};

/// What one task of a job uses or used: its last try in an attempt.
struct TaskUsageView {
  std::string task;
  model::TaskKey key;
  model::Resources limits;
  std::optional<UsagePoint> latest;
  std::vector<UsagePoint> points;
};

/// Looks every few seconds at what running tasks use, has the engine keep it beside their logs, and
/// tells those who may read these.
class UsageService {
 public:
  struct Parts {
    LogService& logs;
    engine::Engine& engine;
    Controller& controller;
    rt::BlockingPool& pool;
  };
  explicit UsageService(Parts parts);

  /// Until it is cancelled. Never uses more than a twentieth of a core, however many tasks there
  /// are: looks become rarer then.
  boost::asio::awaitable<void> run();

  /// The tasks that have begun, at most 1,000. NotFound as for logs. Any thread.
  boost::asio::awaitable<Result<std::vector<TaskUsageView>>> of_job(auth::Principal who,
                                                                    std::string job,
                                                                    UsageQuery query);

 private:
  struct Seen {
    Time first{};
    std::optional<Time> kept;  ///< when a line was written last
    model::TaskUsage before;   ///< the look before the latest
    model::TaskUsage latest;
  };

  boost::asio::awaitable<void> look();
  boost::asio::awaitable<void> add_gpus(std::vector<engine::UsageReport>& reports);
  void keep(const std::vector<engine::UsageReport>& reports);
  Result<TaskUsageView> view(TaskUsageView begun, const UsageQuery& query);

  Parts p_;
  const std::shared_ptr<telemetry::TaskRecords> records_;
  std::mutex mutex_;
  std::map<model::TaskKey, Seen> seen_;  ///< the running ones
  bool is_failing_ = false;
};

}  // namespace ty::control
