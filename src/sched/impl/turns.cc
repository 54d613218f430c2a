#include "sched/impl/turns.h"

namespace ty::sched {

Turn Turns::of(const Waiting& waiting) {
  const auto& st = waiting.standing;
  Turn turn{st.front, -st.priority, 0, 0, st.queued_at, st.number};
  if (s_.starved(waiting, now_)) return turn;
  auto [known, is_new] = known_.try_emplace(st.workspace);
  if (is_new) {
    known->second.tier = s_.ledger.below_guarantee(st.workspace) ? 1 : 2;
    if (s_.policy.order == Order::Fair)
      known->second.share = s_.ledger.share(st.workspace, now_, s_.policy.half_life);
  }
  turn.tier = known->second.tier;
  turn.share = s_.policy.order == Order::Fair ? known->second.share : st.level;
  return turn;
}

}  // namespace ty::sched
