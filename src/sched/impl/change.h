#pragma once
#include <vector>

#include "sched/impl/state.h"

namespace ty::sched {

/// What the answer depends on: a copy in which the request waits and those who rank first.
State changeable(const State& state, const Waiting& waiting, Time now);

/// What together would start it now, each step the smallest that gets it over the next obstacle.
/// Empty when it starts anyway, or when nothing short of new machines would help. Tried out before
/// it is said.
std::vector<Statement> smallest_change(State changeable, const RequestId& id, Time now);

}  // namespace ty::sched
