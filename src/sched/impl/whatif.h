#pragma once
#include <functional>
#include <memory>
#include <optional>

#include "sched/impl/state.h"

/// Copies of the state in which something is tried out. The same code decides there as in earnest.
namespace ty::sched {

/// A copy in which only the request and those who rank before it wait; of those at most
/// `most`, picked evenly. How many were left out is told in `left_out`.
State ahead_of(
    const State& state, const Waiting& waiting, Time now, std::size_t most, std::size_t* left_out);

/// A copy in which the request waits, and at most `most` of the others, those who rank first.
State around(const State& state, const Waiting& waiting, Time now, std::size_t most);

/// Whether the request starts in the copy now, with those who are stopped for it already gone.
bool starts_now(State& copy, const RequestId& id, Time now);

}  // namespace ty::sched
