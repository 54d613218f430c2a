#include "sched/impl/state.h"

#include <algorithm>

namespace ty::sched {
namespace {

/// Small enough for every part of a job to stand before the next job.
constexpr double kPartStep = 0x1p-20;

}  // namespace

State State::without_queue() const {
  State copy;
  copy.policy = policy;
  copy.cluster = cluster;
  copy.ledger = ledger;
  copy.shapes = shapes;
  copy.running = running;
  copy.durations = durations;
  copy.reservations = reservations;
  copy.victim_order = victim_order;
  copy.reclaimable = reclaimable;
  copy.expected_ends = expected_ends;
  copy.pending_victims = pending_victims;
  copy.ready_preemptors = ready_preemptors;
  copy.starved_gpus = starved_gpus;
  copy.next_number = next_number;
  copy.next_front = next_front;
  copy.changes = changes;
  return copy;
}

const Options& State::options(const Shape& shape) {
  auto& memo = shapes.memo(shape);
  if (memo.options_for_site != cluster.site_version()) {
    memo.options = options_for(shape, cluster.site());
    memo.options_for_site = cluster.site_version();
  }
  return memo.options;
}

bool State::owner_matters(const Request& request) const {
  return ledger.has_user_limits(request.workspace) ||
         std::ranges::any_of(reservations, [](const Reservation& r) { return !r.users.empty(); });
}

Requester State::requester(const Waiting& waiting, Time now) const {
  const auto& r = waiting.request;
  Requester requester{r.workspace, r.owner, r.priority, r.preemptible};
  if (r.time_left) requester.ends_surely = now + *r.time_left;
  if (waiting.likely) requester.ends_likely = now + *waiting.likely;
  return requester;
}

Amount State::allowance(const Request& request) const {
  return ledger.allowance(request.workspace, request.owner, !request.preemptible);
}

Waiting& State::wait(Request request) {
  Waiting waiting;
  waiting.shape = shapes.intern(request);
  // The parts of a job stand right behind each other.
  const double number = request.arrival > 0
                            ? static_cast<double>(request.arrival) + request.id.part * kPartStep
                            : next_number++;
  waiting.standing = {
      0, request.priority, ranking_workspace(request), 0, request.queued_at, number};
  if (const auto* before = queue.find(request.id)) {
    waiting.standing = before->standing;
    if (before->standing.priority == before->request.priority)
      waiting.standing.priority = request.priority;
    queue.remove(request.id);
  }
  waiting.standing.level = service_level(policy, waiting.shape->total.gpus, request.attained);
  if (const auto& place = request.place) {
    const int level = waiting.standing.level;
    waiting.standing = {
        place->front, place->priority, place->workspace, level, place->queued_at, place->number};
    next_front = std::min(next_front, place->front - 1);
  }
  const Kind kind{request.owner, request.name, request.workspace, waiting.shape->total.gpus};
  if (auto likely = durations.expect(kind, request.attained, 0.9))
    waiting.likely = *likely - request.attained;
  waiting.by_owner = owner_matters(request);
  waiting.request = std::move(request);
  return queue.add(std::move(waiting));
}

bool State::starved(Time queued_at, Millis attained, Time now) const {
  // What it ran before does not count as waiting.
  const auto waited = now - queued_at - attained;
  if (waited < policy.starvation_bound) return false;
  return policy.starved_share >= 1 ||
         static_cast<double>(starved_gpus) <
             policy.starved_share * static_cast<double>(cluster.capacity().gpus);
}

WorkspaceId State::ranking_workspace(const Request& request) const {
  const bool matters = policy.order == Order::Fair || ledger.has_guarantees();
  return matters ? request.workspace : WorkspaceId{};
}

void State::reorder_queue() {
  std::vector<Waiting*> all;
  for (const auto& [id, w] : queue.all()) all.push_back(w.get());
  for (auto* w : all) {
    queue.leave(*w);
    w->by_owner = owner_matters(w->request);
    w->standing.level = service_level(policy, w->shape->total.gpus, w->request.attained);
    if (!w->request.place) w->standing.workspace = ranking_workspace(w->request);
    queue.enter(*w);
  }
  ++changes;
}

int State::node_index(const std::string& name) {
  const auto& site = cluster.site();
  if (auto known = site.by_name.find(name); known != site.by_name.end()) return known->second;
  auto larger = std::make_shared<Site>(site);
  const auto index = static_cast<int>(larger->names.size());
  larger->names.push_back(name);
  larger->by_name.emplace(name, index);
  larger->class_of.push_back(0);
  larger->present.push_back(0);
  larger->open.push_back(0);
  if (larger->classes.empty()) larger->classes.emplace_back();
  cluster.set_site(std::move(larger));
  return index;
}

void State::run(const Request& request,
                const std::shared_ptr<const Shape>& shape,
                std::vector<RunningTask> tasks,
                Time since,
                bool exempt) {
  auto* job = running.find(request.id.job);
  if (job == nullptr || job->tasks.empty()) {
    RunningJob fresh;
    fresh.id = request.id.job;
    fresh.name = request.name;
    fresh.workspace = request.workspace;
    fresh.owner = request.owner;
    fresh.priority = request.priority;
    fresh.preemptible = request.preemptible;
    fresh.queued_at = request.queued_at;
    fresh.since = since;
    if (request.time_left) fresh.limit = since + *request.time_left;
    fresh.attained = request.attained;
    fresh.gpus = shape->total.gpus;
    job = &running.add(std::move(fresh));
    job->exempt = exempt;
    if (exempt) starved_gpus += job->gpus;
    if (job->preemptible && !exempt)
      victim_order.add(*job, running.slot_of(job->id), policy, since);
  }
  for (auto& task : tasks) {
    reclaimable.add(
        job->priority, task.allocation.node, job->can_be_preempted() ? task.need().amount.gpus : 0);
    ledger.take(
        job->workspace, job->owner, task.need().amount, !job->preemptible, since, policy.half_life);
    running.add_task(*job, std::move(task));
  }
  if (!job->preempted_for) expect_end(running.slot_of(job->id), since);
  cluster.settle();
  ++changes;
}

void State::end_task(RunningJob& job, model::TaskRef task, Time now) {
  auto was = running.remove_task(job, task);
  if (!was) return;
  reclaimable.remove(
      job.priority, was->allocation.node, job.can_be_preempted() ? was->need().amount.gpus : 0);
  cluster.give(was->allocation, was->need());
  ledger.give(
      job.workspace, job.owner, was->need().amount, !job.preemptible, now, policy.half_life);
  if (job.tasks.empty()) {
    job.idle_since = now;
    if (job.exempt) starved_gpus -= job.gpus;
    victim_order.remove(running.slot_of(job.id));
    expected_ends.remove(running.slot_of(job.id));
    if (job.preempted_for) {
      auto promised = pending_victims.find(*job.preempted_for);
      if (promised != pending_victims.end() && --promised->second == 0) {
        ready_preemptors.push_back(promised->first);
        pending_victims.erase(promised);
      }
    }
  }
  ++changes;
}

void State::remove_job(const JobId& id, Time now) {
  auto* job = running.find(id);
  if (job == nullptr) return;
  while (!job->tasks.empty()) end_task(*job, job->tasks.back().task, now);
  running.remove(id);
}

void State::mark_preempted(int slot, const RequestId& in_favour_of, Time now) {
  auto& job = running.at(slot);
  victim_order.remove(slot);
  for (const auto& task : job.tasks)
    reclaimable.remove(job.priority, task.allocation.node, task.need().amount.gpus);
  job.preempted_for = in_favour_of;
  expected_ends.set(slot, now);
}

void State::expect_end(int slot, Time now) {
  const auto& job = running.at(slot);
  if (const auto known = known_end(job, durations, now)) {
    expected_ends.set(slot, *known);
  } else {
    expected_ends.guess(slot, job.since - job.attained);
  }
}

void State::update_overdue_ends(Time now) {
  for (int slot : expected_ends.overdue(now)) {
    if (!running.at(slot).preempted_for) expect_end(slot, now);
  }
}

std::optional<Time> known_end(const RunningJob& job, const Durations& durations, Time now) {
  if (job.preempted_for) return now;
  // Whoever is past what was expected is expected to stay a little longer, the more the longer it
  // has been there.
  const Millis soon = std::max<Millis>(60s, job.ran(now) / 16);
  // Asked again only when the last answer turned out too early: the past has not changed meanwhile.
  if (!job.likely_asked || (job.likely_end && *job.likely_end <= now)) {
    const auto ran = job.ran(now);
    const auto likely = durations.expect(job.kind(), ran, 0.9);
    job.likely_end =
        likely ? std::optional(now + std::max<Millis>(*likely - ran, soon)) : std::nullopt;
    job.likely_asked = true;
  }
  auto end = job.likely_end;
  if (job.limit) {
    const auto limit = std::max(*job.limit, now + soon);
    end = end ? std::min(*end, limit) : limit;
  }
  return end;
}

Time guessed_end(Time began, Time now) { return now + std::max<Millis>(now - began, 1h); }

Time expected_end(const RunningJob& job, const Durations& durations, Time now) {
  if (auto known = known_end(job, durations, now)) return *known;
  return guessed_end(now - job.ran(now), now);
}

std::vector<RunningTask> assign(const Request& request,
                                const std::shared_ptr<const Shape>& shape,
                                const std::vector<Allocation>& allocations) {
  std::vector<RunningTask> tasks;
  tasks.reserve(allocations.size());
  std::vector<std::size_t> next(shape->groups.size());
  for (const auto& allocation : allocations) {
    tasks.push_back(
        {request.groups[allocation.group].tasks[next[allocation.group]++], allocation, shape});
  }
  return tasks;
}

std::vector<Assigned> describe(const Site& site, const std::vector<RunningTask>& tasks) {
  std::vector<Assigned> assigned;
  assigned.reserve(tasks.size());
  for (const auto& task : tasks) {
    Assigned a{task.task, site.names[task.allocation.node], {}, {}};
    const auto& gpus = task.allocation.gpus;
    for (std::size_t i = gpus._Find_first(); i < kMaxGpus; i = gpus._Find_next(i))
      a.gpus.push_back(static_cast<int>(i));
    for (const auto& [type, devices] : site.klass(task.allocation.node).types) {
      if ((devices & gpus).any()) a.gpu_type = type;
    }
    assigned.push_back(std::move(a));
  }
  return assigned;
}

}  // namespace ty::sched
