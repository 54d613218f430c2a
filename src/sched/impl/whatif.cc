#include "sched/impl/whatif.h"

#include <algorithm>

#include "sched/impl/cycle.h"

namespace ty::sched {

State ahead_of(
    const State& s, const Waiting& w, Time now, std::size_t most, std::size_t* left_out) {
  Ranking ranking(s, now);
  const auto mine = ranking.of(w);
  std::vector<std::pair<const Ordered*, std::size_t>> rows;  // with how many of each go before it
  std::size_t before = 0;
  for (const auto& [key, row] : s.queue.rows()) {
    rows.emplace_back(&row, ranking.before(mine, key, row));
    before += rows.back().second;
  }
  // Of too many, some of each kind: the first few would be the large ones that everybody passes.
  const auto step = std::max<std::size_t>((before + most - 1) / std::max<std::size_t>(most, 1), 1);
  State copy = s.without_queue();
  std::size_t skip = 0;  // until the next one to take
  for (const auto& [row, count] : rows) {
    for (; skip < count; skip += step) copy.queue.add((*row)[skip]);
    skip -= count;
  }
  if (left_out != nullptr) *left_out = before - copy.queue.size();
  copy.queue.add(w);
  return copy;
}

State around(const State& s, const Waiting& w, Time now, std::size_t most) {
  State copy = s.without_queue();
  Ranking ranking(s, now);
  InRankOrder in_order(ranking, s.queue);
  while (copy.queue.size() < most) {
    const auto* other = in_order.next();
    if (other == nullptr) break;
    if (other != &w) copy.queue.add(*other);
  }
  copy.queue.add(w);
  return copy;
}

bool starts_now(State& copy, const RequestId& id, Time now) {
  for (int round = 0; round < 3; ++round) {
    const auto plan = Cycle(copy, now).run();
    for (const auto& start : plan.starts) {
      if (start.id == id) return true;
    }
    if (plan.preempt.empty()) return false;
    for (const auto& stopped : plan.preempt) copy.remove_job(stopped.job, now);
  }
  return false;
}

}  // namespace ty::sched
