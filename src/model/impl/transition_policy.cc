#include "model/impl/transition.h"
#include "model/messages.h"
#include "model/words.h"

namespace ty::model {

void Transition::on(const fact::Unplaceable& fact) {
  if (!is_placed_and_undecided()) return;
  for (std::size_t at = 0; at < life_.tasks.size(); ++at) {
    const Task& task = life_.tasks[at];
    if (task.state != TaskState::Waiting || task.placement) continue;
    const Policy* policy = PolicyEvents(PolicyEvent::Unplaceable).match(spec_, task.ref.role);
    if (policy == nullptr) continue;
    apply_policy(
        *policy, at, say::task_finds_no_place({.task = name_of(spec_, task.ref), .why = fact.why}));
    return;
  }
}

/// True when that ended or restarted something; then no other rule is asked. `why` empty: what the
/// task did is reason enough.
bool Transition::apply_policy(const Policy& policy, std::size_t at, Message why) {
  const std::string rule(to_word(policy.action));
  switch (policy.action) {
    case PolicyAction::RestartJob:
    case PolicyAction::RestartRole:
    case PolicyAction::RestartTask:
    case PolicyAction::RestartPartition:
      return restart_by_policy(policy, at, std::move(why));
    case PolicyAction::PauseJob:
      decide({.as = JobState::Paused,
              .decision = decision_by(rule, std::move(why), at),
              .event = JobEvent::PauseAsked});
      return true;
    case PolicyAction::FailJob:
      decide({.as = JobState::Failed, .decision = decision_by(rule, std::move(why), at)});
      return true;
    case PolicyAction::SucceedJob: {
      Decision decision = decision_by(rule, std::move(why), at);
      decision.failure = FailureClass::None;
      decide({.as = JobState::Succeeded, .decision = std::move(decision)});
      return true;
    }
    case PolicyAction::ResumeJob:
      return false;  // a job that runs needs none
  }
  return false;
}

/// Every restart that a policy asks for counts against the job's retries, of the whole job or of a
/// part.
bool Transition::restart_by_policy(const Policy& policy, std::size_t at, Message why) {
  Ruling ruling{.as = JobState::Failed,
                .decision = decision_by(std::string(to_word(policy.action)), std::move(why), at),
                .may_retry = true,
                .by_policy = true};
  if (policy.action == PolicyAction::RestartJob) {
    decide(std::move(ruling));
    return true;
  }
  // One that has not started cannot be started again.
  if (policy.action == PolicyAction::RestartTask && life_.tasks[at].state == TaskState::Waiting) {
    return false;
  }
  if (!take_retry(ruling)) {
    ruling.may_retry = false;
    ruling.decision.message = joined(std::move(ruling.decision.message), say::no_restarts_left());
    decide(std::move(ruling));
    return true;
  }
  // Roles have no partitions here: the role is the smallest group that starts together.
  if (policy.action == PolicyAction::RestartTask)
    restart_task(at);
  else
    restart_role(life_.tasks[at].ref.role);
  return true;
}

void Transition::restart_role(int role) {
  for (std::size_t at = position_of(life_, {role, 0}).value_or(life_.tasks.size());
       at < life_.tasks.size() && life_.tasks[at].ref.role == role;
       ++at) {
    restart_task(at);
  }
}

/// What runs must end before its next try begins.
void Transition::restart_task(std::size_t at) {
  if (life_.tasks[at].hold_until) release_hold(at);
  switch (life_.tasks[at].state) {
    case TaskState::Waiting:
      break;
    case TaskState::Starting:
    case TaskState::Running:
      stop(at, Reason::JobEnded);
      [[fallthrough]];
    case TaskState::Stopping:
      if (!life_.tasks[at].restarting) edit_task(at).restarting = true;
      break;
    case TaskState::Succeeded:
    case TaskState::Failed:
    case TaskState::Stopped:
      start_again(at, "policy");
      break;
  }
}

}  // namespace ty::model
