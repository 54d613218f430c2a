#pragma once
#include <optional>
#include <vector>

#include "sched/impl/state.h"

/// When and where a blocked request will fit, judging by when those who run are expected to end.
namespace ty::sched {

class Lookahead {
 public:
  Lookahead(State& state, Time now) : s_(state), now_(now) {}

  /// `ahead` are those who go before it: what their planned starts take is not counted on. Nothing
  /// when it would not fit even if everybody left.
  std::optional<PlannedStart> earliest_start(const Waiting& waiting,
                                             const std::vector<const Waiting*>& ahead);

 private:
  State& s_;
  Time now_;
};

/// Reserves, on the nodes of the planned start, what it needs and will not get back in time.
void reserve_nodes(NodeReservations& node_reservations,
                   const State& state,
                   const Waiting& waiting,
                   const PlannedStart& planned,
                   Time now);

}  // namespace ty::sched
