#include "sched/scheduler.h"

#include <algorithm>

#include "sched/impl/cycle.h"
#include "sched/impl/state.h"
#include "sched/messages.h"

namespace ty::sched {

Scheduler::Scheduler(Policy policy) : state_(std::make_unique<State>()) { state_->policy = policy; }
Scheduler::~Scheduler() = default;
Scheduler::Scheduler(Scheduler&&) noexcept = default;
Scheduler& Scheduler::operator=(Scheduler&&) noexcept = default;

void Scheduler::set_policy(Policy policy) {
  auto& s = *state_;
  s.policy = policy;
  s.reorder_queue();
  for (int slot : s.running.slots()) {
    const auto& job = s.running.at(slot);
    const bool can_be_preempted =
        job.preemptible && !job.exempt && !job.preempted_for && !job.tasks.empty();
    if (can_be_preempted) s.victim_order.add(job, slot, policy, job.since);
  }
}

void Scheduler::set_nodes(std::vector<Node> nodes) {
  auto& s = *state_;
  s.cluster.set_site(make_site(nodes, s.cluster.site()));
  s.ledger.set_capacity(s.cluster.capacity());
  ++s.changes;
}

void Scheduler::set_accounts(std::vector<Account> accounts) {
  state_->ledger.set_accounts(std::move(accounts));
  state_->reorder_queue();
}

void Scheduler::set_reservations(std::vector<Reservation> reservations) {
  state_->reservations = std::move(reservations);
  state_->reorder_queue();
}

void Scheduler::enqueue(Request request) { state_->wait(std::move(request)); }
void Scheduler::withdraw(const RequestId& id) {
  state_->estimate_correction.withdrawn(id);
  state_->queue.remove(id);
}
void Scheduler::withdraw_job(const JobId& job) {
  for (const auto& id : state_->queue.parts_of(job)) withdraw(id);
}

Result<Place> Scheduler::move_before(const RequestId& id, const std::optional<RequestId>& other) {
  auto& s = *state_;
  auto* waiting = s.queue.find(id);
  if (waiting == nullptr) return fail(Errc::NotFound, say::job_does_not_wait());
  auto standing = waiting->standing;
  if (other) {
    const auto* target = s.queue.find(*other);
    if (target == nullptr) return fail(Errc::NotFound, say::target_does_not_wait());
    if (target != waiting) {
      standing = target->standing;
      // Between the target and whoever stands right before it at the same moment.
      double nearest = standing.number - 1;
      for (const auto& [key, w] : s.queue.all()) {
        const bool same_moment = w->standing.queued_at == standing.queued_at && w.get() != waiting;
        if (same_moment && w->standing.number < standing.number)
          nearest = std::max(nearest, w->standing.number);
      }
      standing.number = (nearest + standing.number) / 2;
    }
  } else {
    standing.front = s.next_front--;
  }
  s.queue.leave(*waiting);  // it is found by its old standing
  waiting->standing = standing;
  waiting->request.place = Place{
      standing.front, standing.priority, standing.workspace, standing.queued_at, standing.number};
  s.queue.enter(*waiting);
  return *waiting->request.place;
}

void Scheduler::occupy(const Request& request, const std::vector<Assigned>& tasks, Time since) {
  auto& s = *state_;
  s.queue.remove(request.id);
  const auto shape = s.shapes.intern(request);
  std::vector<RunningTask> found;
  for (const auto& a : tasks) {
    const auto* job = s.running.find(request.id.job);
    if (job != nullptr &&
        std::ranges::find(job->tasks, a.task, &RunningTask::task) != job->tasks.end())
      continue;
    for (int g = 0; g < static_cast<int>(request.groups.size()); ++g) {
      const auto& members = request.groups[g].tasks;
      if (std::ranges::find(members, a.task) == members.end()) continue;
      Allocation allocation{s.node_index(a.node), g, {}};
      for (int i : a.gpus) {
        if (i >= 0 && i < static_cast<int>(kMaxGpus)) allocation.gpus.set(i);
      }
      s.cluster.take(allocation, shape->groups[g].need);
      found.push_back({a.task, allocation, shape});
      break;
    }
  }
  if (!found.empty()) s.run(request, shape, std::move(found), since, false);
}

void Scheduler::release(const JobId& job, model::TaskRef task, Time now) {
  if (auto* running = state_->running.find(job)) state_->end_task(*running, task, now);
}

void Scheduler::release_job(const JobId& job, Time now, Ended ended) {
  auto& s = *state_;
  if (const auto* running = s.running.find(job); running != nullptr && ended == Ended::Completed) {
    s.durations.record(running->kind(), running->ran(now));
  }
  s.remove_job(job, now);
}

Plan Scheduler::plan(Time now) { return Cycle(*state_, now).run(); }

std::size_t Scheduler::waiting() const { return state_->queue.size(); }

std::vector<QueueEntry> Scheduler::queue(Time now, std::size_t offset, std::size_t limit) const {
  const auto& s = *state_;
  Ranking ranking(s, now);
  // A pause after a failure costs nobody their place.
  std::vector<std::pair<Rank, const Waiting*>> asleep;
  for (const auto& [until, sleeper] : s.queue.asleep())
    asleep.emplace_back(ranking.of(*sleeper), sleeper);
  std::ranges::sort(asleep);
  auto sleeper = asleep.begin();
  InRankOrder awake(ranking, s.queue);
  std::vector<QueueEntry> entries;
  for (std::size_t i = 0; i < s.queue.size() && entries.size() < limit; ++i) {
    const bool sleeps = sleeper != asleep.end() && (awake.done() || sleeper->first < awake.rank());
    const auto& w = sleeps ? *(sleeper++)->second : *awake.next();
    if (i < offset) continue;
    const auto& r = w.request;
    entries.push_back({r.id,
                       r.name,
                       r.workspace,
                       r.owner,
                       r.priority,
                       w.shape->tasks,
                       w.shape->total.gpus,
                       r.queued_at});
  }
  return entries;
}

std::vector<NodeUse> Scheduler::nodes_in_use() const {
  const auto& s = *state_;
  std::vector<NodeUse> nodes;
  for (int n = 0; n < s.cluster.nodes(); ++n) {
    NodeUse use;
    use.name = s.cluster.site().names[n];
    for (int slot : s.running.on_node(n)) {
      const auto& job = s.running.at(slot);
      if (std::ranges::find(use.jobs, job.id) != use.jobs.end()) continue;
      use.jobs.push_back(job.id);
      for (const auto& task : job.tasks) {
        if (task.allocation.node != n) continue;
        use.cpu_milli += task.need().amount.cpu_milli;
        use.memory += task.need().amount.memory;
        for (std::size_t i = 0; i < kMaxGpus; ++i) {
          if (task.allocation.gpus.test(i)) use.gpus.push_back(static_cast<int>(i));
        }
      }
    }
    std::ranges::sort(use.gpus);
    nodes.push_back(std::move(use));
  }
  return nodes;
}

}  // namespace ty::sched
