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

std::size_t Turns::before(const Turn& turn, const RowKey& key, const Ordered& row) {
  std::size_t low = 0, high = row.size();
  while (low < high) {
    const auto middle = low + (high - low) / 2;
    if (of(key, row.member(middle)) < turn) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

InTurn::InTurn(Turns& turns, const Queue& queue) : turns_(turns) {
  for (const auto& [key, row] : queue.rows())
    heap_.push({turns_.of(key, row.member(0)), &key, &row, 0});
}

const Waiting* InTurn::next() {
  if (heap_.empty()) return nullptr;
  auto head = heap_.top();
  heap_.pop();
  const auto& waiting = (*head.row)[head.at];
  if (++head.at < head.row->size()) {
    head.turn = turns_.of(*head.key, head.row->member(head.at));
    heap_.push(head);
  }
  return &waiting;
}

}  // namespace ty::sched
