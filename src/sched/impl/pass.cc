#include "sched/impl/pass.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "sched/impl/evict.h"

namespace ty::sched {
namespace {

/// A hold is looked at anew after this long, in case an earlier or better one has come up.
constexpr Millis kHoldLasts = 5min;
/// So many holds are worked out in one decision: each looks at everything that runs.
constexpr int kLooksAhead = 3;
/// So many members of a line are asked whether they end early enough to pass a blocked job.
constexpr std::size_t kPassersBy = 16;
/// After so many lines asked in vain, the rest wait for the next decision.
constexpr int kInVain = 200;
/// So many of a row may be kept back by quotas before the row is left for the second round.
constexpr int kBarredInRow = 64;

}  // namespace

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

Pass::Pass(State& state, Time now) : s_(state), now_(now), turns_(state, now), future_(state, now) {
  fences_.reset(s_.cluster.nodes());
  raise_reservations(fences_, s_, now_);
}

Plan Pass::run() {
  s_.queue.wake(now_);
  s_.evictable.advance(s_.running, s_.policy, now_);
  s_.expect_anew(now_);
  pay_debts();
  for (const auto* lines : startable()) hopeful_.push_back(lines->shape);
  if (!hopeful_.empty() || anyone_evicts()) {
    in_turn();
    if (s_.policy.backfill) beside();
  }
  if (auto wake = s_.queue.next_wake()) look_again(*wake);
  if (auto change = next_level_change()) look_again(*change);
  for (const auto& r : s_.reservations) {
    if (r.from > now_) look_again(r.from);
    if (r.to > now_) look_again(r.to);
  }
  return std::move(plan_);
}

void Pass::pay_debts() {
  // Whoever was stopped for it may stand before it in the queue; nobody is stopped in vain.
  for (const auto& id : std::exchange(s_.owed, {})) {
    auto* waiting = s_.queue.find(id);
    if (waiting != nullptr && !waiting->asleep && !barred(*waiting)) start(*waiting);
  }
}

std::vector<const ShapeLines*> Pass::startable() {
  std::vector<const ShapeLines*> shapes;
  for (const auto& [id, lines] : s_.queue.shapes()) {
    if (!tight(*lines.shape)) shapes.push_back(&lines);
  }
  return shapes;
}

bool Pass::none_startable() {
  while (!hopeful_.empty() && tight(*hopeful_.back())) hopeful_.pop_back();
  return hopeful_.empty();
}

bool Pass::tight(const Shape& shape) {
  auto& memo = s_.shapes.memo(shape);
  if (memo.too_tight == s_.cluster.loosened()) return true;
  if (memo.fitted == s_.cluster.version()) return false;
  const auto& options = s_.options(shape);
  // Where not even one of its tasks fits on what became looser since, it fits no better than then.
  if (const auto looser = s_.cluster.loosened_since(memo.too_tight)) {
    const bool helps = std::ranges::any_of(
        *looser, [&](int node) { return fits_one_on(s_.cluster, node, shape, options); });
    if (!helps) {
      memo.too_tight = s_.cluster.loosened();
      return true;
    }
  }
  if (fits(s_.cluster, shape, options, {})) {
    memo.fitted = s_.cluster.version();
    return false;
  }
  memo.too_tight = s_.cluster.loosened();
  return true;
}

bool Pass::barred(const Waiting& waiting) const {
  const auto& r = waiting.request;
  return s_.ledger.spent(r.workspace) || !waiting.shape->least.fits_in(s_.allowance(r));
}

void Pass::in_turn() {
  Heap heap;
  for (const auto& [key, row] : s_.queue.rows())
    heap.push({turns_.of(key, row.member(0)), key, &row, 0});
  std::map<const Ordered*, int> kept_back;
  for (int blocked = 0; !heap.empty() && blocked < s_.policy.reserved_heads;) {
    auto next = heap.top();
    heap.pop();
    const auto& row = *next.row;
    if (const auto turn = turns_.of(next.key, row.member(next.at)); turn > next.turn) {
      next.turn = turn;  // its workspace started something meanwhile; others may come first now
      heap.push(next);
      continue;
    }
    auto& waiting = row[next.at];
    const auto left = row.size() - next.at - 1;
    if (barred(waiting)) {
      if (++kept_back[&row] > kBarredInRow || s_.ledger.spent(waiting.request.workspace)) continue;
      ++next.at;
    } else if (!tight(*waiting.shape) && start(waiting)) {
      if (none_startable() && !anyone_evicts()) return;
    } else {
      if (!s_.policy.backfill) return;
      block(waiting);
      ++blocked;
      ++next.at;
    }
    if (left > 0) {
      next.turn = turns_.of(next.key, row.member(next.at));
      heap.push(next);
    }
  }
}

void Pass::beside() {
  std::vector<Passing> shapes;
  for (const auto* lines : startable()) shapes.push_back({lines, lines->shape, {}});
  Heap heap;
  for (const auto& [key, row] : s_.queue.rows())
    heap.push({turns_.of(key, row.member(0)), key, &row, 0});
  std::set<const Ordered*> in_vain;
  while (!heap.empty() && static_cast<int>(in_vain.size()) < kInVain) {
    std::erase_if(shapes, [&](Passing& p) { return tight(*p.shape) || !anyone_passes(p); });
    if (shapes.empty()) return;
    auto next = heap.top();
    heap.pop();
    if (const auto turn = turns_.of(next.key, next.row->member(0)); turn > next.turn) {
      next.turn = turn;
      heap.push(next);
      continue;
    }
    const auto members = next.row->size();
    if (start_one_beside(next.key, shapes, in_vain) && members > 1) {
      next.turn = turns_.of(next.key, next.row->member(0));
      heap.push(next);
    }
  }
}

bool Pass::start_one_beside(const RowKey& row,
                            std::vector<Passing>& shapes,
                            std::set<const Ordered*>& in_vain) {
  std::vector<std::pair<const Ordered*, const Passing*>> found;
  for (auto& shape : shapes) {
    const auto lines = shape.lines->by_row.find(row);
    if (lines == shape.lines->by_row.end()) continue;
    for (const auto& [passer, length, line] : lines->second) {
      if (length <= longest_beside(shape, passer) && !in_vain.contains(line))
        found.emplace_back(line, &shape);
    }
  }
  // Within a row, whoever came first goes first.
  std::ranges::sort(found, [](const auto& a, const auto& b) { return a.first->before(*b.first); });
  for (const auto& [line, of] : found) {
    if (!barred((*line)[0])) {
      const auto shape = of->shape;
      const auto lines = of->lines->lines.size();
      for (std::size_t i = 0; i < std::min(line->size(), kPassersBy); ++i) {
        if (!start((*line)[i])) continue;
        // With its last member a shape leaves the queue.
        if (lines == 1 && !s_.queue.shapes().contains(shape->id)) {
          std::erase_if(shapes, [&](const Passing& p) { return p.shape == shape; });
        }
        for (auto& other : shapes) other.longest.clear();
        return true;
      }
    }
    in_vain.insert(line);
  }
  return false;
}

bool Pass::anyone_passes(Passing& shape) {
  return std::ranges::any_of(shape.lines->lengths, [&](const auto& entry) {
    const auto& [passer, lengths] = entry;
    return lengths.begin()->first <= longest_beside(shape, passer);
  });
}

int Pass::longest_beside(Passing& shape, const Passer& passer) {
  auto [known, is_new] = shape.longest.try_emplace(passer);
  if (is_new) known->second = longest_beside(*shape.shape, passer);
  return known->second;
}

int Pass::longest_beside(const Shape& shape, const Passer& passer) {
  const auto& options = s_.options(shape);
  Terms terms{&fences_, {{}, {}, passer.second, passer.first}, Amount::boundless()};
  if (fences_.empty() || fits(s_.cluster, shape, options, terms)) return 64;
  for (auto ends = fences_.times(); !ends.empty(); ends.pop_back()) {
    if (ends.back() < now_) break;
    terms.asker.ends_surely = terms.asker.ends_likely = ends.back();
    if (!fits(s_.cluster, shape, options, terms)) continue;
    const auto seconds = std::chrono::duration_cast<Seconds>(ends.back() - now_).count();
    return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(seconds)));
  }
  return -1;
}

bool Pass::start(Waiting& waiting) {
  Terms terms;
  terms.allowance = s_.allowance(waiting.request);
  if (!fences_.empty()) {
    terms.fences = &fences_;
    terms.asker = s_.asker(waiting, now_);
  }
  auto pieces = place(s_.cluster, *waiting.shape, s_.options(*waiting.shape), terms);
  if (!pieces) return false;
  if (!fences_.empty()) {
    for (const auto& p : *pieces)
      fences_.took(p.node, waiting.shape->groups[p.group].need.amount, terms.asker);
  }
  auto tasks = assign(waiting.request, waiting.shape, *pieces);
  plan_.starts.push_back({waiting.request.id, describe(s_.cluster.site(), tasks)});
  const bool stays = waiting.standing.front != 0 ||
                     (s_.policy.order == Order::Service && s_.starved(waiting, now_));
  s_.run(waiting.request, waiting.shape, std::move(tasks), now_, stays);
  turns_.started(waiting.request.workspace);
  s_.hindsight.started(waiting.request.id, now_);
  s_.queue.remove(waiting.request.id);
  return true;
}

std::optional<Time> Pass::next_level_change() const {
  // Those with more service had than the neediest who waits must yield already; the others when
  // they get there.
  int neediest = std::numeric_limits<int>::max();
  for (const auto& [key, row] : s_.queue.rows()) neediest = std::min(neediest, key.level);
  return s_.evictable.next_change(neediest);
}

bool Pass::anyone_evicts() const {
  return !s_.evictable.empty() && std::ranges::any_of(s_.queue.rows(), [&](const auto& entry) {
    return might_evict_for(s_, entry.second[0], now_) || might_move_for(s_, entry.second[0]);
  });
}

bool Pass::make_room(Waiting& waiting) {
  if (!might_evict_for(s_, waiting, now_) && !might_move_for(s_, waiting)) return false;
  auto& memo = s_.shapes.memo(*waiting.shape);
  const auto rank = std::pair(waiting.standing.level, -waiting.request.priority);
  // Guarantees and reservations are the workspace's own; only ranks say the same about everyone of
  // this shape.
  const bool by_rank = s_.reservations.empty() &&
                       !s_.ledger.within_guarantee(waiting.request.workspace, waiting.shape->least);
  if (by_rank && memo.no_room_at == s_.changes && memo.no_room_for <= rank) return false;
  Terms terms{&fences_, s_.asker(waiting, now_), s_.allowance(waiting.request)};
  auto found =
      might_evict_for(s_, waiting, now_) ? evict_for(s_, waiting, terms, now_) : std::nullopt;
  if (!found && might_move_for(s_, waiting) && tight(*waiting.shape))
    found = move_for(s_, waiting, terms, now_);
  if (!found) {
    if (by_rank) {
      memo.no_room_at = s_.changes;
      memo.no_room_for = rank;
    }
    return false;
  }
  for (int slot : found->victims) {
    plan_.preempt.push_back({s_.running.at(slot).id, waiting.request.id, found->why});
    s_.ask_to_leave(slot, waiting.request.id, now_);
  }
  s_.leaving_for[waiting.request.id] = static_cast<int>(found->victims.size());
  waiting.hold = Hold{now_, std::move(found->pieces), now_, s_.cluster.site_version()};
  return true;
}

void Pass::block(Waiting& waiting) {
  // Those who leave for it are on their way out: what they free is kept for it.
  const bool promised = s_.leaving_for.contains(waiting.request.id) && waiting.hold &&
                        waiting.hold->site_version == s_.cluster.site_version();
  if (promised || make_room(waiting)) {
    raise_fences(fences_, s_, waiting, *waiting.hold, now_);
    held_.push_back(&waiting);
    return;
  }
  // Where everybody who might pass could be stopped again, nothing need be kept free.
  if (s_.policy.order == Order::Service && s_.policy.preemption && s_.queue.firm() == 0) return;
  auto& hold = waiting.hold;
  const bool stale = !hold || hold->site_version != s_.cluster.site_version() || hold->at <= now_ ||
                     hold->computed + kHoldLasts <= now_;
  if (stale) {
    if (looked_ahead_++ >= kLooksAhead) return;
    hold = future_.find_hold(waiting, held_);
  }
  if (!hold) return;
  raise_fences(fences_, s_, waiting, *hold, now_);
  held_.push_back(&waiting);
  look_again(std::max(hold->at, now_ + Millis(1)));
}

void Pass::look_again(Time at) {
  if (!plan_.next_look || at < *plan_.next_look) plan_.next_look = at;
}

}  // namespace ty::sched
