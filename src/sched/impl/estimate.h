#pragma once
#include "sched/impl/state.h"

namespace ty::sched {

/// When it will start, from three simulated futures in which jobs take as long as a short, a usual
/// and a long one of their like. Nothing for what would never start as things are.
std::optional<Estimate> estimate_start(const State& state, const Waiting& waiting, Time now);

}  // namespace ty::sched
