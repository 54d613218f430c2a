#include "model/job_progress.h"

#include <algorithm>

#include "model/impl/transition.h"

namespace ty::model {

bool comes_before(Time at_a, const fact::TaskEnded& a, Time at_b, const fact::TaskEnded& b) {
  const auto rank = [](Time at, const fact::TaskEnded& ended) {
    return std::tuple(at, ended.ending.outcome == Outcome::Succeeded, ended.task);
  };
  return rank(at_a, a) < rank(at_b, b);
}

JobLife JobProgress::begin(const JobSpec& spec, Time now) {
  JobLife life;
  life.queued_at = now;
  life.time_limit = spec.time_limit;
  life.tasks.reserve(static_cast<std::size_t>(task_count(spec)));
  for (std::size_t role = 0; role < spec.roles.size(); ++role) {
    for (int index = 0; index < spec.roles[role].count; ++index) {
      life.tasks.push_back({.ref = {static_cast<int>(role), index}});
    }
  }
  return life;
}

Effects JobProgress::apply(const Fact& fact, Time now) {
  if (is_final(life_.state)) return {};
  Transition transition(spec_, life_, rules_, jitter_seed_, now);
  std::visit([&](const auto& one) { transition.on(one); }, fact);
  return transition.take();
}

std::vector<TaskRef> JobProgress::to_place(Time now) const {
  std::vector<TaskRef> tasks;
  const bool queued = life_.state == JobState::Queued;
  if (!queued && life_.state != JobState::Starting && life_.state != JobState::Running)
    return tasks;
  if (queued && life_.not_before && *life_.not_before > now) return tasks;
  const RoleOrder order(spec_);
  std::vector<bool> ready(spec_.roles.size());
  for (std::size_t r = 0; r < spec_.roles.size(); ++r) {
    ready[r] =
        queued ? !order.is_later(r) : may_be_placed(spec_, order, life_, static_cast<int>(r));
  }
  for (const Task& task : life_.tasks) {
    if (task.state != TaskState::Waiting || task.placement) continue;
    if (!ready[static_cast<std::size_t>(task.ref.role)]) continue;
    if (const auto due = restart_due(task); due && *due > now) continue;
    tasks.push_back(task.ref);
  }
  return tasks;
}

std::optional<Time> JobProgress::next_deadline(Time now) const {
  std::optional<Time> first;
  const auto consider = [&](std::optional<Time> at) {
    if (at && (!first || *at < *first)) first = at;
  };
  // Nothing happens by itself at these, but `to_place` has more to say from then on.
  const auto consider_ahead = [&](std::optional<Time> at) {
    if (at && *at > now) consider(at);
  };
  switch (life_.state) {
    case JobState::Queued:
      if (life_.tasks.empty()) consider(life_.queued_at);
      consider(max_wait_ends(spec_, life_));
      consider_ahead(life_.not_before);
      break;
    case JobState::Starting:
    case JobState::Running:
      if (life_.started_at) consider(time_limit_ends(life_, rules_, *life_.started_at));
      consider(gang_timeout_strikes(spec_, life_, rules_));
      for (const Task& task : life_.tasks) {
        consider(task.hold_until);
        const auto limit = spec_.roles[static_cast<std::size_t>(task.ref.role)].task_limit;
        if (limit && task.state == TaskState::Running && task.started_at && !task.hold_until) {
          consider(*task.started_at + *limit);
        }
        if (task.state == TaskState::Waiting && !task.placement) consider_ahead(restart_due(task));
      }
      break;
    case JobState::Stopping:
      consider(life_.stop_at);
      break;
    case JobState::Paused:
    case JobState::Succeeded:
    case JobState::Failed:
    case JobState::Cancelled:
      break;
  }
  if (const auto delayed = next_delayed_policy(spec_, life_)) consider(delayed->due);
  return first;
}

std::optional<Time> JobProgress::time_limit_at(Time now) const {
  return time_limit_ends(life_, rules_, life_.started_at.value_or(now));
}

}  // namespace ty::model
