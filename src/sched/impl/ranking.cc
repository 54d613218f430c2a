#include "sched/impl/ranking.h"

namespace ty::sched {

Rank Ranking::of(const Waiting& waiting) {
  const auto& st = waiting.standing;
  return of(row_of(waiting), {st.queued_at, st.number, waiting.request.attained, nullptr});
}

Rank Ranking::of(const RowKey& row, const Ordered::Member& member) {
  Rank rank{row.front, -row.priority, kAnyone, 0, member.queued_at, member.number};
  auto [known, is_new] = known_.try_emplace(row.workspace);
  if (is_new) {
    known->second.below_guarantee = s_.ledger.below_guarantee(row.workspace);
    if (s_.policy.order == Order::Fair)
      known->second.share = s_.ledger.share(row.workspace, now_, s_.policy.half_life);
  }
  if (known->second.below_guarantee) {
    rank.tier = kBelowGuarantee;
  } else if (s_.starved(member.queued_at, member.attained, now_)) {
    rank.tier = kStarved;
    return rank;
  }
  rank.share = s_.policy.order == Order::Fair ? known->second.share : row.level;
  return rank;
}

std::size_t Ranking::before(const Rank& rank, const RowKey& key, const Ordered& row) {
  std::size_t low = 0, high = row.size();
  while (low < high) {
    const auto middle = low + (high - low) / 2;
    if (of(key, row.member(middle)) < rank) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

InRankOrder::InRankOrder(Ranking& ranking, const Queue& queue) : ranking_(ranking) {
  for (const auto& [key, row] : queue.rows())
    heap_.push({ranking_.of(key, row.member(0)), &key, &row, 0});
}

const Waiting* InRankOrder::next() {
  if (heap_.empty()) return nullptr;
  auto head = heap_.top();
  heap_.pop();
  const auto& waiting = (*head.row)[head.at];
  if (++head.at < head.row->size()) {
    head.rank = ranking_.of(*head.key, head.row->member(head.at));
    heap_.push(head);
  }
  return &waiting;
}

}  // namespace ty::sched
