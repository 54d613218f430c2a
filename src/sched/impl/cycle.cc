#include "sched/impl/cycle.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "sched/impl/preemption.h"

namespace ty::sched {
namespace {

/// A planned start is worked out anew after this long, in case an earlier or better one has come
/// up.
constexpr Millis kPlannedStartLasts = 5min;
/// So many planned starts are worked out in one decision: each looks at everything that runs.
constexpr int kMaxLookaheads = 3;
/// So many members of a line are tried as backfill.
constexpr std::size_t kBackfillTriesPerLine = 16;
/// After so many lines of which nobody could start, the rest wait for the next cycle.
constexpr int kMaxFailedLines = 200;
/// So many of a row may be over their quota before the row is left to backfill.
constexpr int kOverQuotaInRow = 64;

}  // namespace

void add_advance_reservations(NodeReservations& node_reservations, const State& state, Time now) {
  for (const auto& r : state.reservations) {
    if (r.to <= now) continue;
    for (const auto& name : r.nodes) {
      auto node = state.cluster.site().by_name.find(name);
      if (node == state.cluster.site().by_name.end()) continue;
      node_reservations.add(node->second, {std::max(r.from, now), Amount::boundless(), &r, 0});
    }
  }
}

Cycle::Cycle(State& state, Time now)
    : s_(state), now_(now), ranking_(state, now), lookahead_(state, now) {
  node_reservations_.reset(s_.cluster.nodes());
  add_advance_reservations(node_reservations_, s_, now_);
}

Plan Cycle::run() {
  s_.queue.wake(now_);
  s_.victim_order.advance(s_.running, s_.policy, now_);
  s_.update_overdue_ends(now_);
  start_preemptors();
  for (const auto* lines : startable_shapes()) startable_.push_back(lines->shape);
  if (!startable_.empty() || anyone_preempts()) {
    start_in_order();
    if (s_.policy.backfill) backfill();
  }
  if (auto wake = s_.queue.next_wake()) look_again(*wake);
  if (auto change = next_level_change()) look_again(*change);
  for (const auto& r : s_.reservations) {
    if (r.from > now_) look_again(r.from);
    if (r.to > now_) look_again(r.to);
  }
  return std::move(plan_);
}

void Cycle::start_preemptors() {
  // Its victims may rank before it now that they wait again; nobody is preempted for nothing.
  for (const auto& id : std::exchange(s_.ready_preemptors, {})) {
    auto* waiting = s_.queue.find(id);
    if (waiting != nullptr && !waiting->asleep && !over_quota(*waiting)) start(*waiting);
  }
}

std::vector<const ShapeLines*> Cycle::startable_shapes() {
  std::vector<const ShapeLines*> shapes;
  for (const auto& [id, lines] : s_.queue.shapes()) {
    if (!lacks_room(*lines.shape)) shapes.push_back(&lines);
  }
  return shapes;
}

bool Cycle::none_startable() {
  while (!startable_.empty() && lacks_room(*startable_.back())) startable_.pop_back();
  return startable_.empty();
}

bool Cycle::lacks_room(const Shape& shape) {
  auto& memo = s_.shapes.memo(shape);
  if (memo.did_not_fit_at == s_.cluster.freed_version()) return true;
  if (memo.fitted_at == s_.cluster.version()) return false;
  const auto& options = s_.options(shape);
  // Where not even one of its tasks fits on what became free since, it fits no better than then.
  if (const auto freed = s_.cluster.freed_since(memo.did_not_fit_at)) {
    const bool helps = std::ranges::any_of(
        *freed, [&](int node) { return fits_one_on(s_.cluster, node, shape, options); });
    if (!helps) {
      memo.did_not_fit_at = s_.cluster.freed_version();
      return true;
    }
  }
  if (fits(s_.cluster, shape, options, {})) {
    memo.fitted_at = s_.cluster.version();
    return false;
  }
  memo.did_not_fit_at = s_.cluster.freed_version();
  return true;
}

bool Cycle::over_quota(const Waiting& waiting) const {
  const auto& r = waiting.request;
  return s_.ledger.spent(r.workspace) || !waiting.shape->least.fits_in(s_.allowance(r));
}

void Cycle::start_in_order() {
  Heap heap;
  for (const auto& [key, row] : s_.queue.rows())
    heap.push({ranking_.of(key, row.member(0)), key, &row, 0});
  std::map<const Ordered*, int> skipped;
  for (int blocked = 0; !heap.empty() && blocked < s_.policy.reserved_heads;) {
    auto next = heap.top();
    heap.pop();
    const auto& row = *next.row;
    if (const auto rank = ranking_.of(next.key, row.member(next.at)); rank > next.rank) {
      next.rank = rank;  // its workspace started something meanwhile; others may come first now
      heap.push(next);
      continue;
    }
    auto& waiting = row[next.at];
    const auto left = row.size() - next.at - 1;
    if (over_quota(waiting)) {
      if (++skipped[&row] > kOverQuotaInRow || s_.ledger.spent(waiting.request.workspace)) continue;
      ++next.at;
    } else if (!lacks_room(*waiting.shape) && start(waiting)) {
      if (none_startable() && !anyone_preempts()) return;
    } else {
      if (!s_.policy.backfill) return;
      preempt_or_reserve(waiting);
      ++blocked;
      ++next.at;
    }
    if (left > 0) {
      next.rank = ranking_.of(next.key, row.member(next.at));
      heap.push(next);
    }
  }
}

void Cycle::backfill() {
  std::vector<BackfillShape> shapes;
  for (const auto* lines : startable_shapes()) shapes.push_back({lines, lines->shape, {}});
  Heap heap;
  for (const auto& [key, row] : s_.queue.rows())
    heap.push({ranking_.of(key, row.member(0)), key, &row, 0});
  std::set<const Ordered*> failed_lines;
  while (!heap.empty() && static_cast<int>(failed_lines.size()) < kMaxFailedLines) {
    std::erase_if(shapes,
                  [&](BackfillShape& p) { return lacks_room(*p.shape) || !any_backfills(p); });
    if (shapes.empty()) return;
    auto next = heap.top();
    heap.pop();
    if (const auto rank = ranking_.of(next.key, next.row->member(0)); rank > next.rank) {
      next.rank = rank;
      heap.push(next);
      continue;
    }
    const auto members = next.row->size();
    if (backfill_one(next.key, shapes, failed_lines) && members > 1) {
      next.rank = ranking_.of(next.key, next.row->member(0));
      heap.push(next);
    }
  }
}

bool Cycle::backfill_one(const RowKey& row,
                         std::vector<BackfillShape>& shapes,
                         std::set<const Ordered*>& failed_lines) {
  std::vector<std::pair<const Ordered*, const BackfillShape*>> found;
  for (auto& shape : shapes) {
    const auto lines = shape.lines->by_row.find(row);
    if (lines == shape.lines->by_row.end()) continue;
    for (const auto& [backfill_class, length, line] : lines->second) {
      if (length <= longest_backfill(shape, backfill_class) && !failed_lines.contains(line))
        found.emplace_back(line, &shape);
    }
  }
  // Within a row, whoever came first goes first.
  std::ranges::sort(found, [](const auto& a, const auto& b) { return a.first->before(*b.first); });
  for (const auto& [line, of] : found) {
    if (!over_quota((*line)[0])) {
      const auto shape = of->shape;
      const auto lines = of->lines->lines.size();
      for (std::size_t i = 0; i < std::min(line->size(), kBackfillTriesPerLine); ++i) {
        if (!start((*line)[i])) continue;
        // With its last member a shape leaves the queue.
        if (lines == 1 && !s_.queue.shapes().contains(shape->id)) {
          std::erase_if(shapes, [&](const BackfillShape& p) { return p.shape == shape; });
        }
        for (auto& other : shapes) other.longest.clear();
        return true;
      }
    }
    failed_lines.insert(line);
  }
  return false;
}

bool Cycle::any_backfills(BackfillShape& shape) {
  return std::ranges::any_of(shape.lines->lengths, [&](const auto& entry) {
    const auto& [backfill_class, lengths] = entry;
    return lengths.begin()->first <= longest_backfill(shape, backfill_class);
  });
}

int Cycle::longest_backfill(BackfillShape& shape, const BackfillClass& backfill_class) {
  auto [known, is_new] = shape.longest.try_emplace(backfill_class);
  if (is_new) known->second = longest_backfill(*shape.shape, backfill_class);
  return known->second;
}

int Cycle::longest_backfill(const Shape& shape, const BackfillClass& backfill_class) {
  const auto& options = s_.options(shape);
  Terms terms{&node_reservations_,
              {{}, {}, backfill_class.second, backfill_class.first},
              Amount::boundless()};
  if (node_reservations_.empty() || fits(s_.cluster, shape, options, terms)) return 64;
  for (auto ends = node_reservations_.times(); !ends.empty(); ends.pop_back()) {
    if (ends.back() < now_) break;
    terms.requester.ends_surely = terms.requester.ends_likely = ends.back();
    if (!fits(s_.cluster, shape, options, terms)) continue;
    const auto seconds = std::chrono::duration_cast<Seconds>(ends.back() - now_).count();
    return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(seconds)));
  }
  return -1;
}

bool Cycle::start(Waiting& waiting) {
  Terms terms;
  terms.allowance = s_.allowance(waiting.request);
  if (!node_reservations_.empty()) {
    terms.node_reservations = &node_reservations_;
    terms.requester = s_.requester(waiting, now_);
  }
  auto allocations = place(s_.cluster, *waiting.shape, s_.options(*waiting.shape), terms);
  if (!allocations) return false;
  if (!node_reservations_.empty()) {
    for (const auto& p : *allocations)
      node_reservations_.allocated(
          p.node, waiting.shape->groups[p.group].need.amount, terms.requester);
  }
  auto tasks = assign(waiting.request, waiting.shape, *allocations);
  plan_.starts.push_back({waiting.request.id, describe(s_.cluster.site(), tasks)});
  const bool exempt = waiting.standing.front != 0 ||
                      (s_.policy.order == Order::Service && s_.starved(waiting, now_));
  s_.run(waiting.request, waiting.shape, std::move(tasks), now_, exempt);
  ranking_.started(waiting.request.workspace);
  s_.estimate_correction.started(waiting.request.id, now_);
  s_.queue.remove(waiting.request.id);
  return true;
}

std::optional<Time> Cycle::next_level_change() const {
  // Those with more service had than the neediest who waits can be preempted already; the others
  // when they get there.
  int neediest = std::numeric_limits<int>::max();
  for (const auto& [key, row] : s_.queue.rows()) neediest = std::min(neediest, key.level);
  return s_.victim_order.next_change(neediest);
}

bool Cycle::anyone_preempts() const {
  return !s_.victim_order.empty() && std::ranges::any_of(s_.queue.rows(), [&](const auto& entry) {
    return might_preempt_for(s_, entry.second[0], now_) ||
           might_defragment_for(s_, entry.second[0]);
  });
}

bool Cycle::try_preempt(Waiting& waiting) {
  if (!might_preempt_for(s_, waiting, now_) && !might_defragment_for(s_, waiting)) return false;
  auto& memo = s_.shapes.memo(*waiting.shape);
  const auto precedence = std::pair(waiting.standing.level, -waiting.request.priority);
  // Guarantees and reservations are the workspace's own; only ranks say the same about everyone of
  // this shape.
  const bool by_rank = s_.reservations.empty() &&
                       !s_.ledger.within_guarantee(waiting.request.workspace, waiting.shape->least);
  if (by_rank && memo.no_victims_at == s_.changes && memo.no_victims_for <= precedence)
    return false;
  Terms terms{&node_reservations_, s_.requester(waiting, now_), s_.allowance(waiting.request)};
  auto found =
      might_preempt_for(s_, waiting, now_) ? preempt_for(s_, waiting, terms, now_) : std::nullopt;
  if (!found && might_defragment_for(s_, waiting) && lacks_room(*waiting.shape))
    found = defragment_for(s_, waiting, terms, now_);
  if (!found) {
    if (by_rank) {
      memo.no_victims_at = s_.changes;
      memo.no_victims_for = precedence;
    }
    return false;
  }
  for (int slot : found->victims) {
    plan_.preempt.push_back({s_.running.at(slot).id, waiting.request.id, found->why});
    s_.mark_preempted(slot, waiting.request.id, now_);
  }
  s_.pending_victims[waiting.request.id] = static_cast<int>(found->victims.size());
  waiting.planned_start =
      PlannedStart{now_, std::move(found->allocations), now_, s_.cluster.site_version()};
  return true;
}

void Cycle::preempt_or_reserve(Waiting& waiting) {
  // Its victims are on their way out: what they free is kept for it.
  const bool promised = s_.pending_victims.contains(waiting.request.id) && waiting.planned_start &&
                        waiting.planned_start->site_version == s_.cluster.site_version();
  if (promised || try_preempt(waiting)) {
    reserve_nodes(node_reservations_, s_, waiting, *waiting.planned_start, now_);
    reserved_.push_back(&waiting);
    return;
  }
  // Where everybody who might be backfilled could be preempted again, nothing need be reserved.
  if (s_.policy.order == Order::Service && s_.policy.preemption && s_.queue.non_preemptible() == 0)
    return;
  auto& planned = waiting.planned_start;
  const bool stale = !planned || planned->site_version != s_.cluster.site_version() ||
                     planned->at <= now_ || planned->computed + kPlannedStartLasts <= now_;
  if (stale) {
    if (lookaheads_++ >= kMaxLookaheads) return;
    planned = lookahead_.earliest_start(waiting, reserved_);
  }
  if (!planned) return;
  reserve_nodes(node_reservations_, s_, waiting, *planned, now_);
  reserved_.push_back(&waiting);
  look_again(std::max(planned->at, now_ + Millis(1)));
}

void Cycle::look_again(Time at) {
  if (!plan_.next_look || at < *plan_.next_look) plan_.next_look = at;
}

}  // namespace ty::sched
