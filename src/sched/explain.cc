#include <algorithm>

#include "sched/explanation.h"
#include "sched/impl/change.h"
#include "sched/impl/cycle.h"
#include "sched/impl/estimate.h"
#include "sched/impl/obstacles.h"
#include "sched/messages.h"
#include "sched/scheduler.h"

namespace ty::sched {
namespace {

/// How many go before it.
std::int64_t count_before(const State& s, const Waiting& waiting, Time now) {
  Ranking ranking(s, now);
  const auto mine = ranking.of(waiting);
  std::int64_t before = 0;
  for (const auto& [key, row] : s.queue.rows())
    before += static_cast<std::int64_t>(ranking.before(mine, key, row));
  // A pause after a failure costs nobody their place.
  for (const auto& [until, sleeper] : s.queue.asleep())
    before += ranking.of(*sleeper) < mine ? 1 : 0;
  return before;
}

}  // namespace

Message Explanation::whole() const {
  Message all;
  for (const auto& reason : reasons) all = joined(std::move(all), reason);
  return all;
}

struct Inquiry::Parts {
  RequestId id;
  Time now{};
  Explanation known;  ///< what was cheap to say
  std::optional<EstimateInput> ahead;
  std::optional<State> changeable;
  WorkspaceId workspace;
  double correction = 1;
  std::optional<Millis> simulated_wait;  ///< the wait as the simulated future has it
};

Inquiry::Inquiry(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Inquiry::~Inquiry() = default;
Inquiry::Inquiry(Inquiry&&) noexcept = default;
Inquiry& Inquiry::operator=(Inquiry&&) noexcept = default;

Explanation Inquiry::answer() {
  auto& p = *parts_;
  Explanation e = p.known;
  if (p.ahead) {
    e.estimate = estimate_start(*p.ahead, p.id, p.now);
    if (e.estimate && e.estimate->likely > p.now) {
      p.simulated_wait = e.estimate->likely - p.now;
      const auto corrected = [&](Time at) {
        const auto wait = static_cast<double>((at - p.now).count()) * p.correction;
        return p.now + Millis(static_cast<std::int64_t>(wait));
      };
      e.estimate = Estimate{
          corrected(e.estimate->early), corrected(e.estimate->likely), corrected(e.estimate->late)};
    }
  }
  if (p.changeable) e.change = smallest_change(*std::move(p.changeable), p.id, p.now);
  return e;
}

Explanation Scheduler::explain(const RequestId& id, Time now, Detail detail) const {
  auto inquiry = inquire(id, now, detail);
  auto e = inquiry.answer();
  learn(inquiry);
  return e;
}

void Scheduler::learn(const Inquiry& inquiry) const {
  const auto& p = *inquiry.parts_;
  if (p.simulated_wait && state_->queue.find(p.id) != nullptr)
    state_->estimate_correction.estimated(p.id, p.workspace, p.now, *p.simulated_wait);
}

Inquiry Scheduler::inquire(const RequestId& id, Time now, Detail detail) const {
  auto parts = std::make_unique<Inquiry::Parts>();
  parts->id = id;
  parts->now = now;
  auto& e = parts->known;
  auto& s = *state_;
  const auto* waiting = s.queue.find(id);
  e.waiting = static_cast<std::int64_t>(s.queue.size());
  if (waiting == nullptr) {
    e.reasons.push_back(say::not_waiting());
    return Inquiry(std::move(parts));
  }
  auto found = obstacles_of(s, *waiting, now);
  e.verdict = found.verdict;
  e.reasons = std::move(found.reasons);
  e.position = 1 + count_before(s, *waiting, now);
  parts->workspace = waiting->request.workspace;
  parts->correction = s.estimate_correction.factor(parts->workspace);
  if (detail != Detail::Reason && e.verdict != Explanation::Verdict::Impossible)
    parts->ahead = estimate_input(s, *waiting, now);
  if (detail == Detail::Full) parts->changeable = changeable(s, *waiting, now);
  return Inquiry(std::move(parts));
}

Result<void> Scheduler::fits_ever(const Request& request) const {
  auto reasons = never_fits(*state_, request, state_->shapes.intern(request));
  if (reasons.empty()) return {};
  return fail(Errc::Invalid, reasons.front());
}

}  // namespace ty::sched
