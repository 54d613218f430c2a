#include "model/impl/life_view.h"

#include <algorithm>

#include "model/retry.h"

namespace ty::model {

std::optional<std::size_t> position_of(const JobLife& life, TaskRef task) {
  const auto by_ref = [](const Task& a, const TaskRef& b) { return a.ref < b; };
  const auto at = std::lower_bound(life.tasks.begin(), life.tasks.end(), task, by_ref);
  if (at == life.tasks.end() || at->ref != task) return std::nullopt;
  return static_cast<std::size_t>(at - life.tasks.begin());
}

std::string name_of(const JobSpec& spec, TaskRef task) {
  return spec.roles[static_cast<std::size_t>(task.role)].name + "-" + std::to_string(task.index);
}

std::optional<Time> restart_due(const Task& task) {
  if (task.tries == 0 || !task.ended_at) return std::nullopt;
  return *task.ended_at + restart_wait(task.tries);
}

std::optional<Seconds> limit_in_force(const JobLife& life, const SiteRules& rules) {
  if (!life.time_limit) return rules.max_time_limit;
  return std::min(*life.time_limit, rules.max_time_limit.value_or(*life.time_limit));
}

std::optional<Time> time_limit_ends(const JobLife& life, const SiteRules& rules, Time since) {
  const auto limit = limit_in_force(life, rules);
  if (!limit) return std::nullopt;
  return since + std::max(Millis{*limit} - life.ran, Millis{0});
}

std::optional<Time> max_wait_ends(const JobSpec& spec, const JobLife& life) {
  if (!spec.wait_limit) return std::nullopt;
  // A back-off is our doing; only what follows it is waiting.
  return std::max(life.queued_at, life.not_before.value_or(life.queued_at)) + *spec.wait_limit;
}

std::optional<Time> gang_timeout_strikes(const JobSpec& spec,
                                         const JobLife& life,
                                         const SiteRules& rules) {
  if (life.state != JobState::Starting || !life.placed_at || gang_size(spec) < 2) {
    return std::nullopt;
  }
  return *life.placed_at + rules.gang_timeout;
}

namespace {

struct RoleCount {
  int up = 0;
  RoleTally ends;
};

RoleCount count_role(const JobLife& life, const RoleSpec& role, int r) {
  RoleCount count;
  for (std::size_t at = position_of(life, {r, 0}).value_or(life.tasks.size());
       at < life.tasks.size() && life.tasks[at].ref.role == r;
       ++at) {
    const Task& task = life.tasks[at];
    ++count.ends.total;
    count.up += has_started(task) ? 1 : 0;
    count.ends.failed += task.state == TaskState::Failed ? 1 : 0;
    count.ends.stopped += task.state == TaskState::Stopped ? 1 : 0;
    if (task.state == TaskState::Succeeded) {
      ++count.ends.succeeded;
      if (role.completion.decider == task.ref.index) count.ends.decider_succeeded = true;
    }
  }
  return count;
}

bool role_has_started(const RoleSpec& role, const RoleCount& count, bool any) {
  const auto enough = any ? std::int64_t{1} : role.min_available.value_or(role.count);
  return count.up >= std::min<std::int64_t>(enough, count.ends.total);
}

bool has_succeeded(const RoleSpec& role, const RoleCount& count, bool any) {
  if (count.ends.total == 0 || is_done(role, count.ends)) return true;
  if (any && count.ends.succeeded > 0) return true;
  return count.ends.has_ended() &&
         count.ends.succeeded >= std::max<std::int64_t>(1, role.completion.need);
}

AfterState state_of(const JobSpec& spec, const JobLife& life, const After& after, int target) {
  if (target < 0) return AfterState::Met;
  const RoleSpec& role = spec.roles[static_cast<std::size_t>(target)];
  const RoleCount count = count_role(life, role, target);
  const bool met = after.when == AfterWhen::Started ? role_has_started(role, count, after.any)
                                                    : has_succeeded(role, count, after.any);
  if (met) return AfterState::Met;
  return count.ends.has_ended() ? AfterState::Never : AfterState::Open;
}

}  // namespace

AfterState after_state(const JobSpec& spec, const RoleOrder& order, const JobLife& life, int role) {
  const auto r = static_cast<std::size_t>(role);
  AfterState all = AfterState::Met;
  for (std::size_t n = 0; n < spec.roles[r].after.size(); ++n) {
    const AfterState one = state_of(spec, life, spec.roles[r].after[n], order.target(r, n));
    if (one == AfterState::Never) return one;
    if (one == AfterState::Open) all = one;
  }
  return all;
}

bool may_be_placed(const JobSpec& spec, const RoleOrder& order, const JobLife& life, int role) {
  const auto r = static_cast<std::size_t>(role);
  if (!order.is_later(r)) return true;
  for (std::size_t n = 0; n < spec.roles[r].after.size(); ++n) {
    const After& after = spec.roles[r].after[n];
    const int target = order.target(r, n);
    if (target < 0) continue;
    const bool ready = after.when == AfterWhen::Started
                           ? may_be_placed(spec, order, life, target)
                           : state_of(spec, life, after, target) == AfterState::Met;
    if (!ready) return false;
  }
  return true;
}

PolicyEvents::PolicyEvents(const JobSpec& spec, const Tally& count, const Task& task) {
  const auto r = static_cast<std::size_t>(task.ref.role);
  const RoleSpec& role = spec.roles[r];
  const RoleTally& tally = count.roles[r];
  if (task.state == TaskState::Failed) {
    const bool evicted = task.ending.outcome == Outcome::Lost ||
                         task.ending.reason == Reason::Evicted ||
                         task.ending.reason == Reason::Preempted;
    add(evicted ? PolicyEvent::TaskEvicted : PolicyEvent::TaskFailed);
    exit_code_ = task.ending.exit_code;
    const bool restarts_used_up = role.restart.budget != 0;  // else it would have started again
    if (restarts_used_up || tally.failed >= role.completion.min_failed.value_or(role.count)) {
      add(PolicyEvent::RoleFailed);
    }
  }
  if (task.state == TaskState::Succeeded &&
      (tally.succeeded == tally.total || is_done(role, tally))) {
    add(PolicyEvent::RoleDone);
  }
}

bool PolicyEvents::is_about(const Policy& policy) const {
  if (policy.exit_code && exit_code_ && *policy.exit_code == *exit_code_) return true;
  // Pending and updates are no mishaps: whoever means them names them.
  constexpr unsigned kNamedOnly = 1u << static_cast<unsigned>(PolicyEvent::TaskPending) |
                                  1u << static_cast<unsigned>(PolicyEvent::JobUpdated);
  return std::ranges::any_of(policy.events, [&](PolicyEvent event) {
    return event == PolicyEvent::Any ? (events_ & ~kNamedOnly) != 0 : has(event);
  });
}

const Policy* PolicyEvents::match(const JobSpec& spec, int role) const {
  const auto about = [&](const Policy& policy) { return is_about(policy); };
  const auto& own = spec.roles[static_cast<std::size_t>(role)].policies;
  if (const auto found = std::ranges::find_if(own, about); found != own.end()) return &*found;
  const auto found = std::ranges::find_if(spec.policies, about);
  return found != spec.policies.end() ? &*found : nullptr;
}

namespace {

bool has_delays(const JobSpec& spec) {
  const auto delayed = [](const Policy& policy) { return policy.delay.has_value(); };
  return std::ranges::any_of(spec.policies, delayed) ||
         std::ranges::any_of(spec.roles, [&](const RoleSpec& role) {
           return std::ranges::any_of(role.policies, delayed);
         });
}

/// Restarting what has not started changes nothing, so such a policy would be due for ever.
bool helps_pending(const Policy& policy, const JobLife& life, const Task& task) {
  switch (policy.action) {
    case PolicyAction::FailJob:
    case PolicyAction::PauseJob:
      return true;
    case PolicyAction::RestartJob:
    case PolicyAction::SucceedJob:
      return life.state != JobState::Queued;
    case PolicyAction::RestartRole:
    case PolicyAction::RestartTask:
    case PolicyAction::RestartPartition:
      return task.state == TaskState::Starting;
    case PolicyAction::ResumeJob:
      return false;
  }
  return false;
}

Time pending_since(const JobLife& life, const Task& task) {
  if (life.state == JobState::Queued) return life.queued_at;
  if (task.tries > 0 && task.ended_at) return *task.ended_at;
  return life.placed_at.value_or(life.queued_at);
}

}  // namespace

std::optional<DelayedPolicy> next_delayed_policy(const JobSpec& spec, const JobLife& life) {
  const bool queued = life.state == JobState::Queued;
  if (!queued && life.state != JobState::Starting && life.state != JobState::Running) {
    return std::nullopt;
  }
  if (!has_delays(spec)) return std::nullopt;
  const Tally count = tally(spec, life.tasks);
  // A role is done with its last success, whichever task that was.
  std::vector<Time> done_at(spec.roles.size(), Time::min());
  for (const Task& task : life.tasks) {
    if (task.state != TaskState::Succeeded || !task.ended_at) continue;
    Time& latest = done_at[static_cast<std::size_t>(task.ref.role)];
    latest = std::max(latest, *task.ended_at);
  }
  std::optional<DelayedPolicy> first;
  for (std::size_t at = 0; at < life.tasks.size(); ++at) {
    const Task& task = life.tasks[at];
    const bool pending = task.state == TaskState::Waiting || task.state == TaskState::Starting;
    const bool ended = task.state == TaskState::Failed || task.state == TaskState::Succeeded;
    if (!pending && !ended) continue;
    const PolicyEvents events =
        pending ? PolicyEvents(PolicyEvent::TaskPending) : PolicyEvents(spec, count, task);
    const Policy* policy = events.match(spec, task.ref.role);
    if (policy == nullptr || !policy->delay || policy->action == PolicyAction::ResumeJob) continue;
    if (pending && !helps_pending(*policy, life, task)) continue;
    const Time since = pending ? pending_since(life, task)
                       : task.state == TaskState::Succeeded
                           ? done_at[static_cast<std::size_t>(task.ref.role)]
                           : task.ended_at.value_or(life.queued_at);
    if (!first || since + *policy->delay < first->due) first = {since + *policy->delay, policy, at};
  }
  return first;
}

}  // namespace ty::model
