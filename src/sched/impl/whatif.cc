#include "sched/impl/whatif.h"

#include <algorithm>
#include <queue>

#include "sched/impl/pass.h"

namespace ty::sched {

State ahead_of(
    const State& s, const Waiting& w, Time now, std::size_t most, std::size_t* left_out) {
  State copy = s.without_queue();
  Turns turns(s, now);
  const auto mine = turns.of(w);
  std::vector<std::pair<Turn, const Waiting*>> before;
  for (const auto& [key, row] : s.queue.rows()) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const auto turn = turns.of(row[i]);
      if (turn >= mine) break;
      before.emplace_back(turn, &row[i]);
    }
  }
  if (before.size() > most) {
    std::nth_element(
        before.begin(), before.begin() + static_cast<std::ptrdiff_t>(most), before.end());
  }
  if (left_out != nullptr) *left_out = before.size() - std::min(before.size(), most);
  before.resize(std::min(before.size(), most));
  for (const auto& [turn, waiting] : before) copy.queue.add(*waiting);
  copy.queue.add(w);
  return copy;
}

bool starts_now(State& copy, const RequestId& id, Time now) {
  for (int round = 0; round < 3; ++round) {
    const auto plan = Pass(copy, now).run();
    for (const auto& start : plan.starts) {
      if (start.id == id) return true;
    }
    if (plan.preempt.empty()) return false;
    for (const auto& stopped : plan.preempt) copy.forget_job(stopped.job, now);
  }
  return false;
}

}  // namespace ty::sched
