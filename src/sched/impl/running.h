#pragma once
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "sched/impl/cluster.h"
#include "sched/impl/durations.h"
#include "sched/impl/shape.h"
#include "sched/request.h"

/// Who runs where.
namespace ty::sched {

struct RunningTask {
  model::TaskRef task;
  Allocation allocation;
  std::shared_ptr<const Shape> shape;
  const TaskNeed& need() const { return shape->groups[allocation.group].need; }
};

struct RunningJob {
  JobId id;
  std::string name;
  WorkspaceId workspace;
  UserId owner;
  std::int64_t priority = 0;
  bool preemptible = false;
  Time queued_at{};
  Time since{};
  std::optional<Time> limit;  ///< its time limit ends it then
  Millis attained{0};         ///< of earlier attempts
  std::int64_t gpus = 0;      ///< of its first request
  std::vector<RunningTask> tasks;
  std::optional<RequestId>
      preempted_for;  ///< it is being stopped; what it frees is promised to this one

  mutable std::optional<Time> likely_end;  ///< what known_end() last learned
  mutable bool likely_asked = false;

  bool exempt = false;             ///< from preemption
  std::optional<Time> idle_since;  ///< none of its tasks runs any more

  bool can_be_preempted() const { return preemptible && !exempt && !preempted_for; }
  Millis ran(Time now) const { return attained + (idle_since.value_or(now) - since); }
  Kind kind() const { return {owner, name, workspace, gpus}; }
};

/// By slot: a small number that stays the job's while it runs.
class Running {
 public:
  RunningJob* find(const JobId& id);
  const RunningJob* find(const JobId& id) const;
  /// Replaces what is known of a job none of whose tasks runs.
  RunningJob& add(RunningJob job);
  void add_task(RunningJob& job, RunningTask task);
  /// The task as it was, if it ran.
  std::optional<RunningTask> remove_task(RunningJob& job, model::TaskRef task);
  void remove(const JobId& id);

  std::vector<int> slots() const;  ///< in use, ascending
  const RunningJob& at(int slot) const { return *jobs_[slot]; }
  RunningJob& at(int slot) { return *jobs_[slot]; }
  int slot_of(const JobId& id) const { return by_id_.at(id); }
  /// Slots of the jobs with a task on the node; a job with two tasks there is listed twice.
  const std::vector<int>& on_node(int node) const;
  std::size_t size() const { return by_id_.size(); }

 private:
  std::unordered_map<JobId, int> by_id_;
  std::vector<std::optional<RunningJob>> jobs_;
  std::vector<int> spare_;
  std::vector<std::vector<int>> on_node_;
};

}  // namespace ty::sched
