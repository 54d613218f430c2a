#include "sched/impl/preemption.h"

#include <algorithm>

#include "sched/impl/obstacles.h"
#include "sched/impl/trial.h"
#include "sched/messages.h"

namespace ty::sched {
namespace {

constexpr std::size_t kFirstFew = 16;
/// So many of those who go first are looked at for them.
constexpr std::size_t kLookedAt = 64;
/// A job is moved only for one at least this many times as wide, and never so many at once.
constexpr std::int64_t kMoveRatio = 2;
constexpr std::size_t kMovesAtOnce = 16;
/// And not again before it had some time in its new place.
constexpr Millis kMoveAgain = 10min;

bool outranks(const State& s, const Waiting& w, const VictimOrder::Key& victim, Time now) {
  if (victim.priority != w.request.priority) return victim.priority < w.request.priority;
  if (s.policy.order != Order::Service) return false;
  return s.starved(w, now) ||
         std::pair(victim.level, victim.came) > std::pair(w.standing.level, w.standing.queued_at);
}

void remove(Trial& trial, const RunningJob& job) {
  for (const auto& task : job.tasks) trial.give(task.allocation, task.need());
}

void restore(Trial& trial, const RunningJob& job) {
  for (const auto& task : job.tasks) trial.take(task.allocation, task.need());
}

/// Nodes on which a task of it would find GPUs enough if all whom it outranks left; none when they
/// are too few for it.
std::vector<int> nodes_that_help(State& s, const Waiting& w) {
  const bool equals = s.policy.order == Order::Service;
  const auto& room = s.reclaimable.room(s.cluster, w.request.priority - (equals ? 0 : 1));
  const auto& options = s.options(*w.shape);
  std::vector<std::vector<char>> usable;  // classes, per group
  for (std::size_t g = 0; g < w.shape->groups.size(); ++g) {
    const auto& group = w.shape->groups[g];
    auto& classes = usable.emplace_back(s.cluster.site().classes.size());
    for (const auto& option : options[g].all) classes[option.klass] = 1;
    std::int64_t tasks = 0;
    for (std::size_t k = 0; k < classes.size() && tasks < group.min_tasks; ++k) {
      if (classes[k]) tasks += room.tasks(static_cast<int>(k), group.need.amount.gpus);
    }
    if (tasks < group.min_tasks) return {};
  }
  std::vector<int> nodes;
  const auto& class_of = s.cluster.site().class_of;
  for (int n = 0; n < s.cluster.nodes(); ++n) {
    for (std::size_t g = 0; g < usable.size(); ++g) {
      if (!usable[g][class_of[n]] || room.on(n) < w.shape->groups[g].need.amount.gpus) continue;
      nodes.push_back(n);
      break;
    }
  }
  return nodes;
}

/// Whom it outranks on these nodes, the first to go first.
std::vector<int> outranked(const State& s,
                           const Waiting& w,
                           const std::vector<int>& nodes,
                           Time now) {
  std::vector<VictimOrder::Key> keys;
  for (int node : nodes) {
    for (int slot : s.running.on_node(node)) {
      const auto* key = s.victim_order.key_of(slot);
      // What this decision started, it does not stop.
      if (key != nullptr && s.running.at(slot).since < now && outranks(s, w, *key, now))
        keys.push_back(*key);
    }
  }
  std::ranges::sort(keys, std::less<>());
  std::vector<int> slots;
  for (const auto& key : keys) {
    if (slots.empty() || slots.back() != key.slot) slots.push_back(key.slot);
  }
  return slots;
}

std::size_t tasks_on(const State& s, const std::vector<int>& nodes) {
  std::size_t tasks = 0;
  for (int node : nodes) tasks += s.running.on_node(node).size();
  return tasks;
}

/// The same for the first few of them, without looking at everybody; fewer where those who go first
/// are of no help.
std::vector<int> first_outranked(const State& s,
                                 const Waiting& w,
                                 const std::vector<int>& nodes,
                                 Time now) {
  std::vector<char> helps(static_cast<std::size_t>(s.cluster.nodes()));
  for (int node : nodes) helps[node] = 1;
  std::vector<int> slots;
  std::size_t seen = 0;
  for (const auto& key : s.victim_order.in_order()) {
    if (slots.size() == kFirstFew || ++seen > kLookedAt || !outranks(s, w, key, now)) break;
    const auto& job = s.running.at(key.slot);
    const auto there = [&](const RunningTask& task) { return helps[task.allocation.node] != 0; };
    if (job.since < now && std::ranges::any_of(job.tasks, there)) slots.push_back(key.slot);
  }
  return slots;
}

/// Keeps those of `victims`, the first to go first, without whom it does not fit.
std::optional<Preemption> drop_needless(State& s,
                                        const Waiting& w,
                                        const Terms& terms,
                                        std::vector<int> victims) {
  const auto& options = s.options(*w.shape);
  Trial trial(s.cluster);
  for (int slot : victims) remove(trial, s.running.at(slot));
  auto allocations = find_place(s.cluster, *w.shape, options, terms);
  if (!allocations) return std::nullopt;
  std::erase_if(victims, [&](int slot) {
    const auto& job = s.running.at(slot);
    const bool needed = std::ranges::any_of(job.tasks, [&](const RunningTask& task) {
      return std::ranges::find(*allocations, task.allocation.node, &Allocation::node) !=
             allocations->end();
    });
    if (!needed) restore(trial, job);
    return !needed;
  });
  for (auto i = victims.size(); victims.size() > 1 && i-- > 0;) {
    const auto& job = s.running.at(victims[i]);
    restore(trial, job);
    if (fits(s.cluster, *w.shape, options, terms)) {
      victims.erase(victims.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      remove(trial, job);
    }
  }
  allocations = find_place(s.cluster, *w.shape, options, terms);
  if (!allocations || victims.empty()) return std::nullopt;
  return Preemption{std::move(victims), *std::move(allocations), {}};
}

/// The shortest run of `candidates` from the front whose leaving makes room, trimmed.
std::optional<Preemption> fewest_victims(State& s,
                                         const Waiting& w,
                                         const Terms& terms,
                                         const std::vector<int>& candidates) {
  const auto& options = s.options(*w.shape);
  Trial trial(s.cluster);
  std::size_t done = 0;  // so many have left, and it does not fit
  for (std::size_t step = 1; done < candidates.size(); step *= 2) {
    auto until = std::min(done + step, candidates.size());
    for (auto i = done; i < until; ++i) remove(trial, s.running.at(candidates[i]));
    if (!fits(s.cluster, *w.shape, options, terms)) {
      done = until;
      continue;
    }
    auto gone = until;
    while (until - done > 1) {
      const auto middle = done + (until - done) / 2;
      for (; gone > middle; --gone) restore(trial, s.running.at(candidates[gone - 1]));
      for (; gone < middle; ++gone) remove(trial, s.running.at(candidates[gone]));
      (fits(s.cluster, *w.shape, options, terms) ? until : done) = middle;
    }
    trial.back_to(0);
    return drop_needless(
        s, w, terms, {candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(until)});
  }
  return std::nullopt;
}

/// What others may be asked for: of each other workspace only as much as it uses beyond what it is
/// guaranteed. Its guarantee is its own, whatever the priority of others.
class GuaranteeGuard {
 public:
  GuaranteeGuard(const State& s, const Waiting& w) : s_(s), mine_(w.request.workspace) {}
  /// Whether the job may be asked to go, those before it gone already.
  bool allows(const RunningJob& job) {
    if (job.workspace == mine_ || !s_.ledger.has_guarantees()) return true;
    auto& given_back = given_back_[job.workspace];
    if (!s_.ledger.borrows(job.workspace, given_back)) return false;
    for (const auto& task : job.tasks) given_back += task.need().amount;
    return true;
  }

 private:
  const State& s_;
  WorkspaceId mine_;
  std::map<WorkspaceId, Amount> given_back_;
};

/// Jobs on what others are guaranteed.
std::vector<int> borrowers(const State& s, const Waiting& w) {
  std::vector<int> found;
  GuaranteeGuard guard(s, w);
  for (const auto& key : s.victim_order.in_order()) {
    const auto& job = s.running.at(key.slot);
    if (job.workspace != w.request.workspace && guard.allows(job)) found.push_back(key.slot);
  }
  return found;
}

/// Jobs that stand in a reservation which is the waiting one's and not theirs.
std::vector<int> reservation_occupants(const State& s, const Terms& terms, Time now) {
  std::vector<int> found;
  for (const auto& r : s.reservations) {
    const NodeReservation reservation{std::max(r.from, now), {}, &r, 0};
    if (r.from > now || r.to <= now || reservation.applies_to(terms.requester)) continue;
    for (const auto& key : s.victim_order.in_order()) {
      const auto& job = s.running.at(key.slot);
      const bool guest = reservation.applies_to({job.workspace, job.owner, job.priority, true});
      const bool there = std::ranges::any_of(job.tasks, [&](const RunningTask& task) {
        return std::ranges::find(r.nodes, s.cluster.site().names[task.allocation.node]) !=
               r.nodes.end();
      });
      if (guest && there && std::ranges::find(found, key.slot) == found.end())
        found.push_back(key.slot);
    }
  }
  return found;
}

}  // namespace

bool might_preempt_for(const State& s, const Waiting& w, Time now) {
  if (!s.policy.preemption || s.victim_order.empty()) return false;
  if (outranks(s, w, *s.victim_order.in_order().begin(), now)) return true;
  return s.ledger.within_guarantee(w.request.workspace, w.shape->least) || !s.reservations.empty();
}

bool might_defragment_for(const State& s, const Waiting& w) {
  return s.policy.moves && !s.victim_order.empty() && w.shape->widest >= kMoveRatio &&
         s.cluster.all_free_gpus() >= w.shape->least.gpus;
}

std::optional<Preemption> preempt_for(State& s, const Waiting& w, const Terms& terms, Time now) {
  const auto nodes = nodes_that_help(s, w);
  // Most need only the first few to go: the others are looked at when those were not enough.
  for (const bool all : {false, true}) {
    if (nodes.empty()) break;
    if (!all && tasks_on(s, nodes) <= kLookedAt) continue;
    auto candidates = all ? outranked(s, w, nodes, now) : first_outranked(s, w, nodes, now);
    GuaranteeGuard guard(s, w);
    std::erase_if(candidates, [&](int slot) { return !guard.allows(s.running.at(slot)); });
    auto found = fewest_victims(s, w, terms, candidates);
    if (!found) continue;
    const auto& last = s.running.at(found->victims.back());
    found->why =
        last.priority < w.request.priority
            ? say::preempted_for_priority(
                  {.job = name_of(w.request), .priority = w.request.priority, .own = last.priority})
            : say::preempted_for_service({.job = name_of(w.request)});
    return found;
  }
  const auto name = name_of(w.request);
  if (s.ledger.within_guarantee(w.request.workspace, w.shape->least)) {
    if (auto found = fewest_victims(s, w, terms, borrowers(s, w))) {
      found->why =
          say::preempted_for_guarantee({.workspace = w.request.workspace_name, .job = name});
      return found;
    }
  }
  if (!s.reservations.empty()) {
    if (auto found = fewest_victims(s, w, terms, reservation_occupants(s, terms, now))) {
      found->why = say::preempted_for_reservation({.job = name});
      return found;
    }
  }
  return std::nullopt;
}

std::optional<Preemption> defragment_for(State& s, const Waiting& w, const Terms& terms, Time now) {
  // Per node that could take a task of it then: what would have to move. Fewest GPUs first.
  struct Node {
    std::int64_t gpus = 0;
    int node = 0;
    std::vector<int> slots;
  };
  std::vector<Node> nodes;
  const auto widest = w.shape->widest;
  const auto& room = s.reclaimable.room(s.cluster, w.request.priority);
  const auto look_at = [&](int n) {
    const auto free = s.cluster.free(n).gpus;
    if (room.on(n) < widest || room.on(n) == free) return false;
    Node node{0, n, {}};
    for (int slot : s.running.on_node(n)) {
      const auto& job = s.running.at(slot);
      const bool small = job.tasks.size() == 1 && job.gpus * kMoveRatio <= widest;
      const bool settled = now - job.since >= kMoveAgain;
      if (!job.can_be_preempted() || !small || !settled || job.priority > w.request.priority)
        continue;
      node.gpus += job.gpus;
      node.slots.push_back(slot);
    }
    // No more is moved than lies idle there without it.
    const bool worth_it = free + node.gpus >= widest && node.gpus <= free;
    if (!node.slots.empty() && worth_it) nodes.push_back(std::move(node));
    return false;
  };
  for (int k = 0; k < static_cast<int>(s.cluster.site().classes.size()); ++k) {
    for (auto free = (widest + 1) / 2; free <= s.cluster.most_gpus(); ++free)
      s.cluster.visit(k, static_cast<int>(free), look_at);
  }
  std::ranges::sort(nodes, {}, [](const Node& n) { return std::pair(n.gpus, n.node); });
  std::vector<int> candidates;
  const auto& options = s.options(*w.shape);
  Trial trial(s.cluster);
  for (const auto& node : nodes) {
    if (candidates.size() + node.slots.size() > kMovesAtOnce) break;
    candidates.insert(candidates.end(), node.slots.begin(), node.slots.end());
    for (int slot : node.slots) remove(trial, s.running.at(slot));
    if (!fits(s.cluster, *w.shape, options, terms)) continue;
    trial.back_to(0);
    auto found = drop_needless(s, w, terms, candidates);
    if (!found) return std::nullopt;
    for (int slot : found->victims) remove(trial, s.running.at(slot));
    for (const auto& p : found->allocations) trial.take(p, w.shape->groups[p.group].need);
    for (int slot : found->victims) {
      const auto& shape = *s.running.at(slot).tasks[0].shape;
      const auto elsewhere = find_place(s.cluster, shape, s.options(shape), {});
      if (!elsewhere) return std::nullopt;
      for (const auto& p : *elsewhere) trial.take(p, shape.groups[p.group].need);
    }
    found->why = say::moved_for({.job = name_of(w.request)});
    return found;
  }
  return std::nullopt;
}

}  // namespace ty::sched
