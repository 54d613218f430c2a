#pragma once
#include "sched/impl/state.h"

namespace ty::sched {

/// What an estimate depends on: a copy in which only some of those ahead of the request wait.
struct EstimateInput {
  State state;
  std::size_t left_out = 0;  ///< of those ahead; the time is stretched in proportion
};
EstimateInput estimate_input(const State& state, const Waiting& waiting, Time now);

/// When it will start, from a few simulated futures in which every job takes as long as one of its
/// like did; not yet corrected by how earlier estimates turned out. Nothing for what would never
/// start as things are.
std::optional<Estimate> estimate_start(const EstimateInput& ahead, const RequestId& id, Time now);

}  // namespace ty::sched
