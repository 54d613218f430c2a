#include <algorithm>

#include "model/failure.h"
#include "model/impl/json_text.h"
#include "model/impl/transition.h"
#include "model/messages.h"
#include "model/retry.h"
#include "model/words.h"

namespace ty::model {

namespace {

Message what_happened(const std::string& name, const Task& task) {
  if (task.state == TaskState::Succeeded) return say::task_succeeded({.task = name});
  const Message& why = task.ending.message;
  if (!is_final(task.state))
    return why.empty() ? plain(name) : say::task_said({.task = name, .why = why});
  return why.empty() ? say::task_failed({.task = name})
                     : say::task_failed_because({.task = name, .why = why});
}

}  // namespace

/// `message` empty: what happened to the task says it all.
Decision Transition::decision_by(std::string rule, Message message, std::size_t at) const {
  const Task& task = life_.tasks[at];
  if (message.empty()) message = what_happened(name_of(spec_, task.ref), task);
  return {.task = task.ref,
          .rule = std::move(rule),
          .message = std::move(message),
          .reason = task.ending.reason,
          .failure = task.ending.failure,
          .exit_code = task.ending.exit_code};
}

void Transition::decide(const Verdict& verdict, const Tally& count, std::size_t at) {
  const Task& task = life_.tasks[at];
  Decision decision = decision_by(verdict.rule, verdict.message, at);
  if (verdict.as == JobState::Succeeded) {
    decision.failure = FailureClass::None;
    decision.reason = Reason::None;
  } else if (verdict.by_task) {
    const bool one_was_enough = role_of(task).completion.min_failed == 1;
    Message what = decision_by({}, {}, at).message;
    decision.message = one_was_enough
                           ? std::move(what)
                           : say::the_last({.verdict = verdict.message, .why = std::move(what)});
  } else {
    decision.failure = count.fault_of_user ? FailureClass::User : FailureClass::Platform;
    // The end of a role can fall on a success: then some earlier failure gives the code.
    if (task.state != TaskState::Failed) {
      decision.exit_code.reset();
      const auto failed = [](const Task& other) { return other.state == TaskState::Failed; };
      const auto culprit = std::ranges::find_if(life_.tasks, failed);
      if (culprit != life_.tasks.end()) {
        decision.reason = culprit->ending.reason;
        decision.exit_code = culprit->ending.exit_code;
      }
    }
  }
  decide({.as = verdict.as, .decision = std::move(decision), .may_retry = true, .lingers = true});
}

/// From here on the attempt is frozen: nothing new starts, what runs is stopped, and the job
/// becomes what was ruled once nothing runs any more.
void Transition::decide(Ruling ruling) {
  edit().decided_at = now_;
  JobState as = ruling.as;
  if (ruling.may_retry) {
    if (const auto wait = take_retry(ruling)) {
      as = JobState::Queued;
      life_.not_before = now_ + *wait;
    } else if (ruling.by_policy) {
      ruling.decision.message = joined(std::move(ruling.decision.message), say::no_restarts_left());
    }
  }
  life_.decision = std::move(ruling.decision);
  move(ruling.event, JobState::Stopping);
  life_.ending_as = as;
  for (std::size_t at = 0; at < life_.tasks.size(); ++at) {
    if (life_.tasks[at].state != TaskState::Waiting) continue;
    Task& task = edit_task(at);
    task.state = TaskState::Stopped;
    task.ending = stopped(ruling.stop_reason);
  }
  const bool lingers = ruling.lingers && spec_.completion.linger > Seconds{0};
  if (lingers)
    life_.stop_at = now_ + spec_.completion.linger;
  else
    stop_alive(ruling.stop_reason);

  const bool any_alive =
      std::ranges::any_of(life_.tasks, [](const Task& task) { return is_alive(task.state); });
  // When nothing is left to wait for, the line about the end says it.
  if (any_alive) {
    JsonObject data;
    data.add("as", to_word(as)).add("rule", life_.decision.rule);
    data.add("message", life_.decision.message);
    if (life_.decision.task) data.add("task", name_of(spec_, *life_.decision.task));
    data.add("exit_code", life_.decision.exit_code);
    const bool verdict = ruling.event == JobEvent::Verdict;
    note(verdict ? "job.decided" : "job.stopping", data.text(), ruling.actor);
    return;
  }
  const std::size_t notes = effects_.notes.size();
  finish();
  for (std::size_t i = notes; i < effects_.notes.size(); ++i)
    effects_.notes[i].actor = ruling.actor;
}

/// Counts another attempt, or the restart of a part, and says how long to wait for it; nullopt when
/// the job may have none.
std::optional<Seconds> Transition::take_retry(const Ruling& ruling) {
  const auto plan = plan_retry(spec_.retry,
                               life_.retries,
                               {.succeeded = ruling.as == JobState::Succeeded,
                                .failure = ruling.decision.failure,
                                .exit_code = ruling.decision.exit_code,
                                .command_ran = std::ranges::any_of(life_.tasks, has_started),
                                .by_policy = ruling.by_policy},
                               seed_);
  if (!plan) return std::nullopt;
  RetryCount& retries = edit().retries;
  switch (plan->kind) {
    case RetryKind::Counted:
      ++retries.counted;
      break;
    case RetryKind::Platform:
      ++retries.platform;
      break;
    case RetryKind::Conflict:
      ++retries.conflict;
      break;
    case RetryKind::BeforeCommand:
      ++retries.before_command;
      break;
  }
  return plan->wait;
}

void Transition::enforce_time_limit() {
  const auto limit = limit_in_force(life_, rules_);
  decide({.as = JobState::Failed,
          .decision = {.rule = "time_limit",
                       .message = out_of_time(limit.value_or(Seconds{0})).message,
                       .reason = Reason::TimeLimit,
                       .failure = FailureClass::Permanent},
          .stop_reason = Reason::TimeLimit});
}

/// A role that waits for one which ended without doing what was waited for will never start.
void Transition::fail_if_dependents_cannot_start() {
  if (!is_placed_and_undecided()) return;
  for (std::size_t r = 0; r < spec_.roles.size(); ++r) {
    if (spec_.roles[r].after.empty()) continue;
    const auto at = position_of(life_, {static_cast<int>(r), 0});
    if (!at || life_.tasks[*at].state != TaskState::Waiting || has_started(life_.tasks[*at]))
      continue;
    if (after_state(spec_, order_, life_, static_cast<int>(r)) != AfterState::Never) continue;
    const Tally count = tally(spec_, life_.tasks);
    Verdict verdict{
        JobState::Failed, "after", say::role_cannot_start({.role = spec_.roles[r].name})};
    return decide(verdict, count, *at);
  }
}

void Transition::finish_if_all_ended() {
  if (life_.state != JobState::Stopping) return;
  if (std::ranges::none_of(life_.tasks, [](const Task& task) { return is_alive(task.state); })) {
    finish();
  }
}

void Transition::finish() {
  JobLife& life = edit();
  if (life.started_at) life.ran += std::max(now_ - *life.started_at, Millis{0});
  JobState as = life.ending_as.value_or(JobState::Failed);
  const auto limit = limit_in_force(life, rules_);
  if (as == JobState::Queued && limit && life.ran >= *limit) {
    as = JobState::Failed;  // another attempt would have no time left
    life.decision = {.rule = "time_limit",
                     .message = out_of_time(*limit).message,
                     .reason = Reason::TimeLimit,
                     .failure = FailureClass::Permanent};
  }
  move(JobEvent::TasksGone, as);
  life.ending_as.reset();
  life.stop_at.reset();
  if (as == JobState::Queued) {
    life.queued_at = now_;
    return queue_again(life.decision.rule == "preempted" ? "preempted" : "retry");
  }
  life.not_before.reset();
  if (as == JobState::Paused) {
    note("job.paused", describe_end());
    return;
  }
  life.ended_at = now_;
  note("job." + std::string(to_word(as)), describe_end());
}

/// The next attempt: every task from the beginning.
void Transition::queue_again(std::string why) {
  JobLife& life = edit();
  ++life.attempt;
  JsonObject data;
  data.add("why", why).add("attempt", life.attempt).add("message", life.decision.message);
  data.add("exit_code", life.decision.exit_code);
  if (life.not_before) data.add("not_before", to_rfc3339(*life.not_before));
  note("job.queued", data.text());
  life.placed_at.reset();
  life.started_at.reset();
  life.decided_at.reset();
  for (std::size_t at = 0; at < life.tasks.size(); ++at) {
    Task& task = edit_task(at);
    task = Task{.ref = task.ref};
  }
}

std::string Transition::describe_end() const {
  const Decision& decision = life_.decision;
  JsonObject data;
  data.add("attempt", life_.attempt).add("rule", decision.rule).add("message", decision.message);
  if (decision.task) data.add("task", name_of(spec_, *decision.task));
  if (decision.reason != Reason::None) data.add("reason", to_word(decision.reason));
  if (decision.failure != FailureClass::None) data.add("class", to_word(decision.failure));
  data.add("exit_code", decision.exit_code).add("ran_ms", life_.ran.count());
  return data.text();
}

}  // namespace ty::model
