#include "sched/impl/turns.h"

namespace ty::sched {

Turn Turns::of(const Waiting& waiting) {
  const auto& st = waiting.standing;
  Turn turn{st.front, -st.priority, kAnyone, 0, st.queued_at, st.number};
  auto [known, is_new] = known_.try_emplace(st.workspace);
  if (is_new) {
    known->second.below_guarantee = s_.ledger.below_guarantee(st.workspace);
    if (s_.policy.order == Order::Fair)
      known->second.share = s_.ledger.share(st.workspace, now_, s_.policy.half_life);
  }
  if (known->second.below_guarantee) {
    turn.tier = kBelowGuarantee;
  } else if (s_.starved(waiting, now_)) {
    turn.tier = kStarved;
    return turn;
  }
  turn.share = s_.policy.order == Order::Fair ? known->second.share : st.level;
  return turn;
}

}  // namespace ty::sched
