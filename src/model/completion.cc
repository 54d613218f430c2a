#include "model/completion.h"

#include "model/messages.h"

namespace ty::model {

namespace {

Verdict role_is_done(const RoleSpec& role, const RoleTally& count) {
  if (role.completion.decider) {
    return {JobState::Succeeded,
            "decider",
            say::decider_succeeded(
                {.task = role.name + "-" + std::to_string(*role.completion.decider)})};
  }
  return {JobState::Succeeded,
          "min_succeeded",
          say::enough_succeeded_of_role(
              {.role = role.name, .count = count.succeeded, .total = count.total})};
}

Message too_few(const RoleSpec& role, const RoleTally& count) {
  return say::too_few_succeeded_of_role({.role = role.name,
                                         .count = count.succeeded,
                                         .total = count.total,
                                         .need = role.completion.need});
}

/// Step 8, CheckJob: the first need that is not met.
std::optional<Message> unmet_need(const JobSpec& spec, const Tally& count) {
  for (std::size_t r = 0; r < spec.roles.size(); ++r) {
    const RoleSpec& role = spec.roles[r];
    if (count.roles[r].succeeded < role.completion.need) return too_few(role, count.roles[r]);
  }
  if (count.succeeded < spec.completion.need) {
    return say::too_few_succeeded_of_job({.count = count.succeeded, .need = spec.completion.need});
  }
  return std::nullopt;
}

}  // namespace

Tally tally(const JobSpec& spec, const std::vector<Task>& tasks) {
  Tally count;
  count.roles.resize(spec.roles.size());
  for (const Task& task : tasks) {
    const auto r = static_cast<std::size_t>(task.ref.role);
    RoleTally& role = count.roles[r];
    ++role.total;
    switch (task.state) {
      case TaskState::Succeeded:
        ++role.succeeded;
        ++count.succeeded;
        if (spec.roles[r].completion.decider == task.ref.index) role.decider_succeeded = true;
        break;
      case TaskState::Failed:
        ++role.failed;
        if (task.ending.failure == FailureClass::User ||
            task.ending.failure == FailureClass::Permanent) {
          count.fault_of_user = true;
        }
        break;
      case TaskState::Stopped:
        ++role.stopped;
        break;
      case TaskState::Waiting:
      case TaskState::Starting:
      case TaskState::Running:
      case TaskState::Stopping:
        break;
    }
  }
  return count;
}

bool is_done(const RoleSpec& role, const RoleTally& count) {
  if (role.completion.decider) return count.decider_succeeded;
  return role.completion.min_succeeded && count.succeeded >= *role.completion.min_succeeded;
}

std::optional<Verdict> judge(const JobSpec& spec,
                             const Tally& count,
                             std::size_t role,
                             bool was_done) {
  const RoleSpec& own = spec.roles[role];
  const RoleTally& mine = count.roles[role];
  const bool done = is_done(own, mine);

  if (!was_done && own.completion.min_failed && mine.failed >= *own.completion.min_failed) {
    return Verdict{JobState::Failed,
                   "min_failed",
                   say::tasks_failed({.role = own.name, .count = mine.failed, .total = mine.total}),
                   true};
  }
  if (done && !was_done && own.completion.ends_job) return role_is_done(own, mine);
  if (spec.completion.min_succeeded && count.succeeded >= *spec.completion.min_succeeded) {
    return Verdict{JobState::Succeeded,
                   "job_min_succeeded",
                   say::enough_succeeded_of_job({.count = count.succeeded})};
  }
  if (spec.completion.at_end == AtEnd::CheckRole && !done && mine.has_ended() &&
      mine.succeeded < own.completion.need) {
    return Verdict{JobState::Failed, "role_end", too_few(own, mine)};
  }
  for (std::size_t r = 0; r < spec.roles.size(); ++r) {
    if (!count.roles[r].has_ended() && !is_done(spec.roles[r], count.roles[r])) return std::nullopt;
  }
  if (spec.completion.at_end == AtEnd::CheckJob) {
    if (auto unmet = unmet_need(spec, count)) {
      return Verdict{JobState::Failed, "job_end", std::move(*unmet)};
    }
  }
  return Verdict{JobState::Succeeded, "job_end", say::every_role_ended()};
}

}  // namespace ty::model
