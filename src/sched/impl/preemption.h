#pragma once
#include <optional>
#include <vector>

#include "sched/impl/state.h"

/// Whom to preempt so that a blocked request can start: never more victims than it takes, and none
/// unless it then starts.
namespace ty::sched {

struct Preemption {
  std::vector<int> victims;             ///< slots
  std::vector<Allocation> allocations;  ///< where the request will go
  Message why;
};

/// Victims that must yield to it: of lower priority, on what its workspace is guaranteed, or with
/// more service had.
std::optional<Preemption> preempt_for(State& state,
                                      const Waiting& waiting,
                                      const Terms& terms,
                                      Time now);

/// Small preemptible jobs that could go on elsewhere at once, so that a whole node comes free.
std::optional<Preemption> defragment_for(State& state,
                                         const Waiting& waiting,
                                         const Terms& terms,
                                         Time now);

/// Worth asking at all? Cheap.
bool might_preempt_for(const State& state, const Waiting& waiting, Time now);
bool might_defragment_for(const State& state, const Waiting& waiting);

}  // namespace ty::sched
