#pragma once
#include <map>
#include <vector>

#include "sched/impl/cluster.h"
#include "sched/impl/durations.h"
#include "sched/impl/estimate_correction.h"
#include "sched/impl/expected_ends.h"
#include "sched/impl/fit.h"
#include "sched/impl/ledger.h"
#include "sched/impl/queue.h"
#include "sched/impl/reclaimable.h"
#include "sched/impl/running.h"
#include "sched/impl/shape.h"
#include "sched/impl/victim_order.h"
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
  EstimateCorrection estimate_correction;
  std::vector<Reservation> reservations;
  VictimOrder victim_order;
  Reclaimable reclaimable;     ///< what its jobs hold
  ExpectedEnds expected_ends;  ///< when those who run will be gone
  std::map<RequestId, int>
      pending_victims;  ///< how many jobs being preempted for it are not gone yet
  std::vector<RequestId>
      ready_preemptors;           ///< their victims are gone: they start before all others
  std::int64_t starved_gpus = 0;  ///< in use by jobs that waited too long
  double next_number = 1;
  std::int64_t next_front = -1;
  std::uint64_t changes = 1;  ///< grows with everything that could make a preemption useful

  /// A copy in which nobody waits.
  State without_queue() const;
  const Options& options(const Shape& shape);
  bool owner_matters(const Request& request) const;
  Requester requester(const Waiting& waiting, Time now) const;
  Amount allowance(const Request& request) const;

  Waiting& wait(Request request);
  /// With whose share a request ranks: its workspace's, or nobody's where workspaces do not count.
  WorkspaceId ranking_workspace(const Request& request) const;
  /// It waited longer than the policy lets anyone wait, and the part of the site kept for such jobs
  /// is not used up.
  bool starved(const Waiting& waiting, Time now) const {
    return starved(waiting.standing.queued_at, waiting.request.attained, now);
  }
  bool starved(Time queued_at, Millis attained, Time now) const;
  /// Everybody into the row where they belong after accounts or reservations changed.
  void reorder_queue();
  int node_index(const std::string& name);
  /// Records the tasks, whose allocations are taken already, with their job and its workspace.
  /// `stays`: from preemption, whatever its kind, because a person or its long wait put it there.
  void run(const Request& request,
           const std::shared_ptr<const Shape>& shape,
           std::vector<RunningTask> tasks,
           Time since,
           bool exempt);
  /// Notes when it will end, by what is known now.
  void expect_end(int slot, Time now);
  /// Looks again at those who should have ended by now.
  void update_overdue_ends(Time now);
  void end_task(RunningJob& job, model::TaskRef task, Time now);
  void remove_job(const JobId& id, Time now);
  void mark_preempted(int slot, const RequestId& in_favour_of, Time now);
};

/// When a running job will be gone, by its limit or by what its like took; nothing when neither is
/// known.
std::optional<Time> known_end(const RunningJob& job, const Durations& durations, Time now);
/// The same, and where nothing is known: after as long again as it ran.
Time expected_end(const RunningJob& job, const Durations& durations, Time now);
/// The same for one nothing is known of but when it began.
Time guessed_end(Time began, Time now);

/// The allocations of a start, as its owner sees them.
std::vector<Assigned> describe(const Site& site, const std::vector<RunningTask>& tasks);
std::vector<RunningTask> assign(const Request& request,
                                const std::shared_ptr<const Shape>& shape,
                                const std::vector<Allocation>& allocations);

}  // namespace ty::sched
