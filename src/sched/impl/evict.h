#pragma once
#include <optional>
#include <vector>

#include "sched/impl/state.h"

/// Whom to stop so that a blocked request can start: never more than it takes, and nobody unless it
/// then starts.
namespace ty::sched {

struct Eviction {
  std::vector<int> victims;   ///< slots
  std::vector<Piece> pieces;  ///< where the request will go
  std::string why;
};

/// Jobs that must yield to it: of lower priority, on what its workspace is guaranteed, or with more
/// service had.
std::optional<Eviction> evict_for(State& state,
                                  const Waiting& waiting,
                                  const Terms& terms,
                                  Time now);

/// Small preemptible jobs that could go on elsewhere at once, so that a whole node comes free.
std::optional<Eviction> move_for(State& state,
                                 const Waiting& waiting,
                                 const Terms& terms,
                                 Time now);

/// Worth asking at all? Cheap.
bool might_evict_for(const State& state, const Waiting& waiting, Time now);
bool might_move_for(const State& state, const Waiting& waiting);

}  // namespace ty::sched
