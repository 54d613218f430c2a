#include "sched/impl/turns.h"

namespace ty::sched {

Turn Turns::of(const Waiting& waiting) {
  const auto& st = waiting.standing;
  return of(row_of(waiting), {st.queued_at, st.number, waiting.request.attained, nullptr});
}

Turn Turns::of(const RowKey& row, const Ordered::Member& member) {
  Turn turn{row.front, -row.priority, kAnyone, 0, member.queued_at, member.number};
  auto [known, is_new] = known_.try_emplace(row.workspace);
  if (is_new) {
    known->second.below_guarantee = s_.ledger.below_guarantee(row.workspace);
    if (s_.policy.order == Order::Fair)
      known->second.share = s_.ledger.share(row.workspace, now_, s_.policy.half_life);
  }
  if (known->second.below_guarantee) {
    turn.tier = kBelowGuarantee;
  } else if (s_.starved(member.queued_at, member.attained, now_)) {
    turn.tier = kStarved;
    return turn;
  }
  turn.share = s_.policy.order == Order::Fair ? known->second.share : row.level;
  return turn;
}

}  // namespace ty::sched
