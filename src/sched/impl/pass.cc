#include "sched/impl/pass.h"

#include <algorithm>

#include "sched/impl/future.h"

namespace ty::sched {
namespace {

/// A hold is looked at anew after this long, in case an earlier or better one has come up.
constexpr Millis kHoldLasts = 60s;
/// So many members of a line are asked whether they end early enough to pass a blocked job.
constexpr std::size_t kPassersBy = 16;

}  // namespace

Turn turn_of(const State& state, const Waiting& waiting, Time now) {
  const auto& st = waiting.standing;
  Turn turn{st.front, -st.priority, 2, 0, st.queued_at, st.number};
  if (now - st.queued_at >= state.policy.starvation_bound) {
    turn.tier = 0;
    return turn;
  }
  if (state.ledger.within_guarantee(st.workspace, waiting.shape->least)) turn.tier = 1;
  turn.share = state.ledger.share(st.workspace, now, state.policy.half_life);
  return turn;
}

void raise_reservations(Fences& fences, const State& state, Time now) {
  for (const auto& r : state.reservations) {
    if (r.to <= now) continue;
    for (const auto& name : r.nodes) {
      auto node = state.cluster.site().by_name.find(name);
      if (node == state.cluster.site().by_name.end()) continue;
      fences.add(node->second, {std::max(r.from, now), Amount::boundless(), &r, 0});
    }
  }
}

Pass::Pass(State& state, Time now) : s_(state), now_(now) {
  fences_.reset(s_.cluster.nodes());
  raise_reservations(fences_, s_, now_);
}

Plan Pass::run() {
  s_.queue.wake(now_);
  bool hopeless = true;
  for (const auto& [key, line] : s_.queue.lines()) hopeless = hopeless && tight(*line);
  if (!hopeless) {
    for (const auto& [key, line] : s_.queue.lines()) push(*line, 0);
  }
  while (!heap_.empty()) {
    auto next = heap_.top();
    heap_.pop();
    auto& line = *next.line;
    const auto turn = turn_of(s_, line.at(next.at), now_);
    if (turn > next.turn) {  // its workspace started something meanwhile, others may come first now
      heap_.push({turn, &line, next.at});
      continue;
    }
    const bool holds_left = static_cast<int>(held_.size()) < s_.policy.reserved_heads;
    if (tight(line) && !holds_left) continue;
    const auto& request = line.at(next.at).request;
    if (s_.ledger.spent(request.workspace) || !line.shape->least.fits_in(s_.allowance(request)))
      continue;

    const auto members = line.size();
    if (try_start(line, next.at)) {
      if (members > next.at + 1) push(line, next.at);
      continue;
    }
    if (!s_.policy.backfill) break;
    if (holds_left) block(line, next.at);
  }
  if (auto wake = s_.queue.next_wake()) look_again(*wake);
  for (const auto& r : s_.reservations) {
    if (r.from > now_) look_again(r.from);
    if (r.to > now_) look_again(r.to);
  }
  return std::move(plan_);
}

bool Pass::tight(const Line& line) const {
  return s_.shapes.memo(*line.shape).too_tight == s_.cluster.loosened();
}

void Pass::push(Line& line, std::size_t at) {
  heap_.push({turn_of(s_, line.at(at), now_), &line, at});
}

bool Pass::try_start(Line& line, std::size_t at) {
  if (tight(line)) return false;
  if (start(line.at(at))) return true;
  const bool bounded = !line.shape->total.fits_in(s_.allowance(line.at(at).request));
  if ((fences_.empty() && !bounded) ||
      !fits(s_.cluster, *line.shape, s_.options(*line.shape), {})) {
    s_.shapes.memo(*line.shape).too_tight = s_.cluster.loosened();
    return false;
  }
  const auto last = std::min(line.size(), at + kPassersBy);
  for (auto i = at + 1; i < last; ++i) {
    if (start(line.at(i))) return true;
  }
  return false;
}

bool Pass::start(Waiting& waiting) {
  Terms terms;
  terms.allowance = s_.allowance(waiting.request);
  if (!fences_.empty()) {
    terms.fences = &fences_;
    terms.asker = s_.asker(waiting.request, now_);
  }
  auto pieces = place(s_.cluster, *waiting.shape, s_.options(*waiting.shape), terms);
  if (!pieces) return false;
  if (!fences_.empty()) {
    for (const auto& p : *pieces)
      fences_.took(p.node, waiting.shape->groups[p.group].need.amount, terms.asker);
  }
  auto tasks = assign(waiting.request, waiting.shape, *pieces);
  plan_.starts.push_back({waiting.request.id, describe(s_.cluster.site(), tasks)});
  s_.run(waiting.request, waiting.shape, std::move(tasks), now_);
  s_.queue.remove(waiting.request.id);
  return true;
}

void Pass::block(Line& line, std::size_t at) {
  auto& waiting = line.at(at);
  auto& hold = waiting.hold;
  const bool stale = !hold || hold->site_version != s_.cluster.site_version() || hold->at <= now_ ||
                     hold->computed + kHoldLasts <= now_;
  if (stale) hold = find_hold(s_, waiting, held_, now_);
  if (hold) {
    raise_fences(fences_, s_, waiting, *hold, now_);
    held_.push_back(&waiting);
    look_again(std::max(hold->at, now_ + Millis(1)));
  }
  if (at + 1 < line.size()) push(line, at + 1);
}

void Pass::look_again(Time at) {
  if (!plan_.next_look || at < *plan_.next_look) plan_.next_look = at;
}

}  // namespace ty::sched
