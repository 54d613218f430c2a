#pragma once
#include <map>
#include <vector>

#include "sched/impl/cluster.h"
#include "sched/impl/durations.h"
#include "sched/impl/fit.h"
#include "sched/impl/ledger.h"
#include "sched/impl/queue.h"
#include "sched/impl/running.h"
#include "sched/impl/shape.h"
#include "sched/scheduler.h"

namespace ty::sched {

/// Everything a scheduler knows. A value: the future is found out on a copy of it.
struct State {
  Policy policy;
  Cluster cluster;
  Ledger ledger;
  ShapeTable shapes;
  Queue queue;
  Running running;
  Durations durations;
  std::vector<Reservation> reservations;
  std::map<std::int64_t, int>
      evictable;  ///< priority → preemptible jobs that run and were not asked to leave
  double next_number = 1;
  std::int64_t next_front = -1;
  std::uint64_t changes = 1;  ///< grows with everything that could make a preemption useful

  const Options& options(const Shape& shape);
  bool owner_matters(const Request& request) const;
  Asker asker(const Waiting& waiting, Time now) const;
  Amount allowance(const Request& request) const;

  Waiting& wait(Request request);
  /// Everybody into the line where they belong after accounts or reservations changed.
  void restand();
  int node_index(const std::string& name);
  /// Records the tasks, whose pieces are taken already, with their job and its workspace.
  void run(const Request& request,
           const std::shared_ptr<const Shape>& shape,
           std::vector<RunningTask> tasks,
           Time since);
  void end_task(RunningJob& job, model::TaskRef task, Time now);
  void forget_job(const JobId& id, Time now);
  void ask_to_leave(RunningJob& job, const RequestId& in_favour_of);
};

/// When a running job will be gone, by its limit or by what its like took; nothing when neither is
/// known.
std::optional<Time> known_end(const RunningJob& job, const Durations& durations, Time now);
/// The same, and where nothing is known: after as long again as it ran.
Time expected_end(const RunningJob& job, const Durations& durations, Time now);

/// The pieces of a start, as its owner sees them.
std::vector<Assigned> describe(const Site& site, const std::vector<RunningTask>& tasks);
std::vector<RunningTask> assign(const Request& request,
                                const std::shared_ptr<const Shape>& shape,
                                const std::vector<Piece>& pieces);

}  // namespace ty::sched
