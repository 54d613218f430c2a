#include "model/impl/transition.h"

#include <algorithm>

#include "model/failure.h"
#include "model/impl/json_text.h"
#include "model/messages.h"
#include "model/words.h"

namespace ty::model {

JobLife& Transition::edit() {
  effects_.changed = true;
  return life_;
}

Task& Transition::edit_task(std::size_t at) {
  effects_.changed = true;
  effects_.changed_tasks.push_back(life_.tasks[at].ref);
  return life_.tasks[at];
}

void Transition::move(JobEvent on, JobState to) {
  TY_CHECK(is_legal(life_.state, on, to), "every move of a job is in the table");
  edit().state = to;
}

void Transition::note(std::string kind, std::string data, std::string actor) {
  effects_.notes.push_back(
      {.kind = std::move(kind), .actor = std::move(actor), .data = std::move(data)});
}

Effects Transition::take() {
  auto& tasks = effects_.changed_tasks;
  std::ranges::sort(tasks);
  tasks.erase(std::unique(tasks.begin(), tasks.end()), tasks.end());
  return std::move(effects_);
}

void Transition::on(const fact::CancelAsked& fact) {
  const Decision decision{
      .rule = "user", .message = say::stopped_by({.user = fact.by}), .reason = Reason::UserStop};
  switch (life_.state) {
    case JobState::Queued:
    case JobState::Paused:
      end_while_waiting(JobEvent::CancelAsked, JobState::Cancelled, decision, fact.by);
      break;
    case JobState::Starting:
    case JobState::Running:
      decide({.as = JobState::Cancelled,
              .decision = decision,
              .event = JobEvent::CancelAsked,
              .stop_reason = Reason::UserStop,
              .actor = fact.by});
      break;
    case JobState::Stopping:
      // A verdict stands; one that would have led to another attempt, or a pause, gives way.
      if (life_.ending_as == JobState::Queued || life_.ending_as == JobState::Paused) {
        move(JobEvent::CancelAsked, JobState::Stopping);
        life_.ending_as = JobState::Cancelled;
        life_.decision = decision;
        life_.decided_at = now_;
        life_.not_before.reset();
        note("job.stopping", JsonObject().add("as", "cancelled").text(), fact.by);
      }
      // Nobody waits for stragglers after a person said stop.
      if (life_.stop_at) stop_alive(Reason::UserStop);
      finish_if_all_ended();
      break;
    case JobState::Succeeded:
    case JobState::Failed:
    case JobState::Cancelled:
      break;
  }
}

void Transition::on(const fact::PauseAsked& fact) {
  const Decision decision{
      .rule = "user", .message = say::paused_by({.user = fact.by}), .reason = Reason::UserStop};
  if (life_.state == JobState::Queued) {
    move(JobEvent::PauseAsked, JobState::Paused);
    life_.decision = decision;
    life_.not_before.reset();
    note("job.paused", "{}", fact.by);
  } else if (is_placed_and_undecided()) {
    decide({.as = JobState::Paused,
            .decision = decision,
            .event = JobEvent::PauseAsked,
            .stop_reason = Reason::UserStop,
            .actor = fact.by});
  }
}

void Transition::on(const fact::ResumeAsked& fact) {
  if (life_.state != JobState::Paused) return;
  move(JobEvent::ResumeAsked, JobState::Queued);
  life_.queued_at = now_;
  if (life_.placed_at) {
    queue_again("resumed");
  } else {
    note("job.queued", JsonObject().add("why", "resumed").text(), fact.by);
  }
  if (!effects_.notes.empty()) effects_.notes.back().actor = fact.by;
}

void Transition::on(const fact::Preempted& fact) {
  if (!is_placed_and_undecided()) return;
  ++edit().retries.preempted;
  decide({.as = JobState::Queued,
          .decision = {.rule = "preempted",
                       .message = fact.why,
                       .reason = Reason::Preempted,
                       .failure = FailureClass::Platform},
          .event = JobEvent::Preempted,
          .stop_reason = Reason::Preempted});
}

void Transition::on(const fact::Impossible& fact) {
  if (life_.state != JobState::Queued) return;
  end_while_waiting(JobEvent::Impossible,
                    JobState::Failed,
                    {.rule = "impossible",
                     .message = fact.why,
                     .reason = Reason::BadSpec,
                     .failure = FailureClass::Permanent});
}

void Transition::on(const fact::GangTimeout&) {
  if (life_.state != JobState::Starting) return;
  decide({.as = JobState::Failed,
          .decision = {.rule = "gang_timeout",
                       .message = say::gang_timeout(),
                       .reason = Reason::GangTimeout,
                       .failure = FailureClass::Conflict},
          .may_retry = true,
          .stop_reason = Reason::GangTimeout});
}

void Transition::on(const fact::LimitSet& fact) {
  if (is_final(life_.state) || life_.time_limit == fact.time_limit) return;
  edit().time_limit = fact.time_limit;
  std::optional<std::int64_t> seconds;
  if (fact.time_limit) seconds = fact.time_limit->count();
  note("job.limit_set", JsonObject().add("time_limit_s", seconds).text(), fact.by);
  if (!is_placed_and_undecided() || life_.tasks.empty()) return;
  const Policy* policy = PolicyEvents(PolicyEvent::JobUpdated).match(spec_, 0);
  if (policy != nullptr && !policy->delay)
    apply_policy(*policy, 0, say::job_changed_by({.user = fact.by}));
}

void Transition::on(const fact::Tick&) {
  if (life_.state == JobState::Queued)
    tick_waiting();
  else if (is_placed_and_undecided())
    tick_running();
  else if (life_.state == JobState::Stopping && life_.stop_at && *life_.stop_at <= now_) {
    stop_alive(Reason::JobEnded);
    finish_if_all_ended();
  }
}

void Transition::tick_waiting() {
  if (life_.tasks.empty()) return on(fact::Impossible{say::job_without_tasks()});
  const auto waited_out = max_wait_ends(spec_, life_);
  if (waited_out && *waited_out <= now_) {
    return end_while_waiting(
        JobEvent::WaitLimit,
        JobState::Failed,
        {.rule = "wait_limit",
         .message = say::waited_too_long({.limit = spec_.wait_limit.value_or(Seconds{0})}),
         .reason = Reason::WaitLimit,
         .failure = FailureClass::Permanent});
  }
  const auto delayed = next_delayed_policy(spec_, life_);
  if (!delayed || delayed->due > now_) return;
  const std::string action(to_word(delayed->policy->action));
  const Message pending =
      say::task_was_pending({.task = name_of(spec_, life_.tasks[delayed->task].ref),
                             .time = delayed->policy->delay.value_or(Seconds{0})});
  if (delayed->policy->action == PolicyAction::FailJob) {
    end_while_waiting(JobEvent::WaitLimit,
                      JobState::Failed,
                      {.rule = action,
                       .message = pending,
                       .reason = Reason::WaitLimit,
                       .failure = FailureClass::Permanent});
  } else if (delayed->policy->action == PolicyAction::PauseJob) {
    move(JobEvent::PauseAsked, JobState::Paused);
    life_.decision = {.rule = action, .message = pending, .reason = Reason::WaitLimit};
    life_.not_before.reset();
    note("job.paused", JsonObject().add("why", pending).text());
  }
}

/// Each of these may decide the attempt; what follows then no longer applies.
void Transition::tick_running() {
  const auto limit =
      life_.started_at ? time_limit_ends(life_, rules_, *life_.started_at) : std::nullopt;
  if (limit && *limit <= now_) return enforce_time_limit();

  const auto gang = gang_timeout_strikes(spec_, life_, rules_);
  if (gang && *gang <= now_) return on(fact::GangTimeout{});

  for (std::size_t at = 0; at < life_.tasks.size() && is_placed_and_undecided(); ++at) {
    const Task& task = life_.tasks[at];
    if (task.hold_until) {
      if (*task.hold_until <= now_) {
        release_hold(at);
        take_outcome(at);
      }
      continue;
    }
    const auto task_limit = role_of(task).task_limit;
    if (task_limit && task.state == TaskState::Running && task.started_at &&
        *task.started_at + *task_limit <= now_) {
      stop(at, Reason::TimeLimit);
      // Not a bystander of the verdict but the cause of one: it counts as failed, not as stopped.
      life_.tasks[at].ending = out_of_time(*task_limit);
    }
  }

  while (is_placed_and_undecided()) {
    const auto delayed = next_delayed_policy(spec_, life_);
    if (!delayed || delayed->due > now_) break;
    const Task& task = life_.tasks[delayed->task];
    Message why;
    if (!is_final(task.state)) {
      why = say::task_was_pending(
          {.task = name_of(spec_, task.ref), .time = delayed->policy->delay.value_or(Seconds{0})});
    }
    if (!apply_policy(*delayed->policy, delayed->task, std::move(why))) break;
  }
}

void Transition::end_while_waiting(JobEvent on, JobState as, Decision decision, std::string actor) {
  move(on, as);
  life_.decision = std::move(decision);
  life_.decided_at = life_.ended_at = now_;
  life_.not_before.reset();
  for (std::size_t at = 0; at < life_.tasks.size(); ++at) {
    if (life_.tasks[at].state != TaskState::Waiting) continue;
    Task& task = edit_task(at);
    task.state = TaskState::Stopped;
    task.ending = stopped(life_.decision.reason);
  }
  note("job." + std::string(to_word(as)), describe_end(), std::move(actor));
}

}  // namespace ty::model
