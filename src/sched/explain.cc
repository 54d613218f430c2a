#include <algorithm>

#include "sched/explanation.h"
#include "sched/impl/change.h"
#include "sched/impl/estimate.h"
#include "sched/impl/obstacles.h"
#include "sched/impl/pass.h"
#include "sched/impl/sentences.h"
#include "sched/scheduler.h"

namespace ty::sched {
namespace {

/// How many go before it. Members of a row come in the order of their turns, so each row is
/// searched, not walked.
std::int64_t count_before(const State& s, const Waiting& waiting, Time now) {
  Turns turns(s, now);
  const auto mine = turns.of(waiting);
  std::int64_t before = 0;
  for (const auto& [key, row] : s.queue.rows()) {
    std::size_t low = 0, high = row.size();
    while (low < high) {
      const auto middle = low + (high - low) / 2;
      if (turns.of(row[middle]) < mine) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    before += static_cast<std::int64_t>(low);
  }
  // A pause after a failure costs nobody their place.
  for (const auto& [until, sleeper] : s.queue.asleep()) before += turns.of(*sleeper) < mine ? 1 : 0;
  return before;
}

}  // namespace

std::string Explanation::text() const {
  std::string line;
  for (const auto& reason : reasons) {
    if (!line.empty()) line += "; ";
    line += reason.text;
  }
  return line;
}

Explanation Scheduler::explain(const RequestId& id, Time now, Detail detail) const {
  Explanation e;
  auto& s = *state_;
  const auto* waiting = s.queue.find(id);
  e.waiting = static_cast<std::int64_t>(s.queue.size());
  if (waiting == nullptr) {
    e.reasons.push_back(say("not_waiting", {}));
    return e;
  }
  auto found = obstacles_of(s, *waiting, now);
  e.verdict = found.verdict;
  e.reasons = std::move(found.reasons);
  e.position = 1 + count_before(s, *waiting, now);
  if (detail != Detail::Reason && e.verdict != Explanation::Verdict::Impossible)
    e.estimate = estimate_start(s, *waiting, now);
  if (detail == Detail::Full) e.change = smallest_change(s, *waiting, now);
  return e;
}

Result<void> Scheduler::fits_ever(const Request& request) const {
  auto reasons = never_fits(*state_, request, state_->shapes.intern(request));
  if (reasons.empty()) return {};
  return fail(Errc::Invalid, reasons.front().text);
}

}  // namespace ty::sched
