#pragma once
#include "sched/impl/state.h"

namespace ty::sched {

/// When it will start, from a few simulated futures in which every job takes as long as one of its
/// like did, corrected by how earlier estimates turned out. Nothing for what would never start as
/// things are.
std::optional<Estimate> estimate_start(State& state, const Waiting& waiting, Time now);

}  // namespace ty::sched
