#pragma once
#include <optional>
#include <string>
#include <vector>

#include "sched/request.h"

/// What the scheduler wants done.
namespace ty::sched {

/// Where a task runs and what of the node is its own.
struct Assigned {
  model::TaskRef task;
  std::string node;
  std::vector<int> gpus;  ///< device indices
  std::string gpu_type;
};

/// Start these tasks together. Fewer than the request asked for only when its minimum allows; the
/// others are then no longer queued: ask `to_place()` again and enqueue them as further parts.
struct Start {
  RequestId id;
  std::vector<Assigned> tasks;
};

/// Stop this job and queue it again. What it has counts as promised to `in_favour_of` until they
/// are released.
struct Preempt {
  JobId job;
  RequestId in_favour_of;
  Message why;
};

struct Plan {
  std::vector<Start> starts;
  std::vector<Preempt> preempt;
  std::optional<Time> next_look;  ///< plan again then even if nothing happens; `now` when more is
                                  ///< to be done at once
};

}  // namespace ty::sched
