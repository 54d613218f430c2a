#pragma once
#include <optional>
#include <vector>

#include "sched/impl/state.h"

/// When and where a blocked request will fit, judging by when those who run are expected to end.
namespace ty::sched {

class Future {
 public:
  Future(State& state, Time now) : s_(state), now_(now) {}

  /// `ahead` are those who go before it: the pieces of their holds are not counted on. Nothing when
  /// it would not fit even if everybody left.
  std::optional<Hold> find_hold(const Waiting& waiting, const std::vector<const Waiting*>& ahead);

 private:
  State& s_;
  Time now_;
};

/// Keeps later comers from what the hold needs and will not get back in time.
void raise_fences(
    Fences& fences, const State& state, const Waiting& waiting, const Hold& hold, Time now);

}  // namespace ty::sched
