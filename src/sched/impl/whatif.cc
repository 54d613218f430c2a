#include "sched/impl/whatif.h"

#include <algorithm>
#include <queue>

#include "sched/impl/pass.h"

namespace ty::sched {

namespace {

/// Those who wait awake, and their turns; `until` ends each row.
std::vector<std::pair<Turn, const Waiting*>> others(const State& s,
                                                    const Waiting& w,
                                                    Time now,
                                                    const std::optional<Turn>& until) {
  Turns turns(s, now);
  std::vector<std::pair<Turn, const Waiting*>> found;
  for (const auto& [key, row] : s.queue.rows()) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const auto turn = turns.of(row[i]);
      if (until && turn >= *until) break;
      if (&row[i] != &w) found.emplace_back(turn, &row[i]);
    }
  }
  return found;
}

State with(const State& s,
           const Waiting& w,
           std::vector<std::pair<Turn, const Waiting*>> others,
           std::size_t most) {
  State copy = s.without_queue();
  if (others.size() > most) {
    const auto cut = others.begin() + static_cast<std::ptrdiff_t>(most);
    std::nth_element(others.begin(), cut, others.end());
    others.erase(cut, others.end());
  }
  for (const auto& [turn, waiting] : others) copy.queue.add(*waiting);
  copy.queue.add(w);
  return copy;
}

}  // namespace

State ahead_of(
    const State& s, const Waiting& w, Time now, std::size_t most, std::size_t* left_out) {
  auto before = others(s, w, now, Turns(s, now).of(w));
  // Of too many, some of each kind: the first few would be the large ones that everybody passes.
  const auto step = (before.size() + most - 1) / std::max<std::size_t>(most, 1);
  std::vector<std::pair<Turn, const Waiting*>> some;
  for (std::size_t i = 0; i < before.size(); i += std::max<std::size_t>(step, 1))
    some.push_back(before[i]);
  if (left_out != nullptr) *left_out = before.size() - some.size();
  return with(s, w, std::move(some), most);
}

State around(const State& s, const Waiting& w, Time now, std::size_t most) {
  return with(s, w, others(s, w, now, std::nullopt), most);
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
