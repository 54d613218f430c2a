#pragma once
#include <functional>
#include <optional>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "model/job.h"
#include "model/task_usage.h"
#include "telemetry/log_keeper.h"
#include "telemetry/log_ref.h"

namespace ty::telemetry {

/// What is kept of task tries by the engine that runs them: the bytes of their logs by offset, and
/// samples of what they used. The one way to either: whoever reads here knows of no file.
///
/// Any thread. All but `log` may block for as long as a disk takes.
class TaskRecords {
 public:
  virtual ~TaskRecords() = default;

  /// Never blocks; what it names may not exist (yet). Valid as long as these records.
  virtual LogRef log(const model::TaskKey& key) const = 0;

  /// Keeps a sample. NotFound when nothing is kept of the task (any more).
  virtual Result<void> add_usage(const model::TaskKey& key, const model::TaskUsage& usage) = 0;
  /// From `since` on, in order; empty when there is none.
  virtual Result<std::vector<model::TaskUsage>> usage(const model::TaskKey& key,
                                                      std::optional<Time> since) const = 0;
  virtual Result<std::optional<model::TaskUsage>> last_usage(const model::TaskKey& key) const = 0;

  /// All of a job's logs and samples go. Fine when there are none.
  virtual Result<void> remove(const JobId& job) = 0;

  using HasEnded = std::function<bool(const model::TaskKey&)>;
  /// One round of compressing and deleting by age and size. `stop` is asked often.
  virtual Result<SweepReport> sweep(const KeepPolicy& policy,
                                    Time now,
                                    const HasEnded& has_ended,
                                    const std::function<bool()>& stop) = 0;
};

}  // namespace ty::telemetry
