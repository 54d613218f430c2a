#pragma once
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "model/job.h"

/// What waits: a set of tasks that start together or not at all.
namespace ty::sched {

/// `part` 0 is the job's gang; further parts are tasks placed later (restarts, roles whose `after`
/// is met, tasks beyond the gang's minimum). See `part_of()`.
struct RequestId {
  JobId job;
  int part = 0;
  auto operator<=>(const RequestId&) const = default;
};

/// Tasks with the same needs; usually one role.
struct Group {
  std::vector<model::TaskRef> tasks;
  model::Resources each;       ///< of one task; `shm` lies inside `memory`, `disk` is not scheduled
  model::TextMap node_labels;  ///< all must match the node's
  std::vector<int>
      fixed_ports;    ///< taken on the node itself, so two tasks of the group never share one
  int min_tasks = 0;  ///< of this group, for an elastic start; 0: none needed
  bool operator==(const Group&) const = default;
};

/// Where an administrator has put a request: the place of another, right before it. Whoever keeps
/// jobs over a restart keeps this too.
struct Place {
  std::int64_t front = 0;  ///< smaller goes first, before any priority; 0: not at the very front
  std::int64_t priority = 0;
  WorkspaceId workspace;  ///< it ranks with this one's share
  Time queued_at{};
  double number = 0;  ///< among those of the same moment
  bool operator==(const Place&) const = default;
};

struct Request {
  RequestId id;
  std::string name;  ///< of the job, for explanations and for learning how long such jobs take
  WorkspaceId workspace;
  std::string workspace_name;
  UserId owner;
  std::int64_t priority = 10;
  bool preemptible = false;
  Time queued_at{};  ///< older goes first among equals; a preempted job keeps its own
  /// Among those of one moment the smaller goes first, before and after a restart; 0: as they are
  /// handed in.
  std::int64_t arrival = 0;
  std::optional<Time> not_before;  ///< a back-off
  std::vector<Group> groups;
  int min_tasks = 0;                 ///< over all groups; fewer never start
  std::optional<Seconds> time_left;  ///< what its time limit still allows it
  Millis attained{0};                ///< running time of its earlier attempts
  std::optional<Place> place;        ///< by hand; else its own fields say where it stands
};

/// The part under which a task (or the gang whose first task it is) is asked for once the job runs:
/// stable, so that asking again replaces instead of adding.
int part_of(const model::JobLife& life, model::TaskRef first);

/// The requests for `tasks`, which are what `JobProgress::to_place()` returned: one gang for a
/// queued job; for a running one a gang per role that starts now as a whole, and one request for
/// every other task. `host_ports`: tasks share their node's ports (process runtime), so fixed ones
/// must be free there.
std::vector<Request> requests_for(const model::Job& job,
                                  const model::JobSpec& spec,
                                  const std::vector<model::TaskRef>& tasks,
                                  bool host_ports);

}  // namespace ty::sched
