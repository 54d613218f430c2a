#include <algorithm>

#include "model/failure.h"
#include "model/impl/json_text.h"
#include "model/impl/transition.h"
#include "model/messages.h"
#include "model/retry.h"
#include "model/words.h"

namespace ty::model {

namespace {

constexpr int kMostLostRestarts = 20;

bool is_loss(const Ending& ending) {
  return ending.outcome == Outcome::Lost || ending.reason == Reason::Evicted ||
         ending.reason == Reason::Preempted || ending.reason == Reason::NodeLost;
}

TaskState state_after(Outcome outcome) {
  switch (outcome) {
    case Outcome::Succeeded:
      return TaskState::Succeeded;
    case Outcome::Stopped:
      return TaskState::Stopped;
    case Outcome::None:
    case Outcome::Failed:
    case Outcome::Lost:
      return TaskState::Failed;
  }
  return TaskState::Failed;
}

JsonObject describe(const std::string& task, const Ending& ending) {
  JsonObject data;
  data.add("task", task).add("outcome", to_word(ending.outcome)).add("exit_code", ending.exit_code);
  data.add("signal", ending.signal);
  if (ending.reason != Reason::None) data.add("reason", to_word(ending.reason));
  data.add("message", ending.message);
  return data;
}

}  // namespace

std::optional<std::size_t> Transition::current(TaskRef task, int attempt, int tries) const {
  if (attempt != life_.attempt || !is_placed(life_.state)) return std::nullopt;
  const auto at = position_of(life_, task);
  if (!at || life_.tasks[*at].tries != tries || !is_alive(life_.tasks[*at].state)) {
    return std::nullopt;
  }
  return at;
}

void Transition::on(const fact::Placed& fact) {
  const bool first = life_.state == JobState::Queued;
  if (!first && !is_placed_and_undecided()) return;
  std::vector<std::size_t> placed;
  std::string node;
  for (const fact::PlacedTask& one : fact.tasks) {
    const auto at = position_of(life_, one.task);
    if (!at || life_.tasks[*at].state != TaskState::Waiting || life_.tasks[*at].placement) continue;
    Task& task = edit_task(*at);
    task.placement = one.placement;
    task.ending = {};
    if (placed.empty()) node = one.placement.node;
    placed.push_back(*at);
  }
  if (placed.empty()) return;
  JsonObject data;
  data.add("attempt", life_.attempt).add("tasks", placed.size()).add("node", node);
  if (first) {
    move(JobEvent::Placed, JobState::Starting);
    life_.placed_at = now_;
    life_.not_before.reset();
    life_.decision = {};
    life_.decided_at.reset();
    note("job.placed", data.text());
  } else {
    data.add("task", name_of(spec_, life_.tasks[placed.front()].ref));
    note("task.placed", data.text());
  }
  for (const std::size_t at : placed) {
    const int role = life_.tasks[at].ref.role;
    if (after_state(spec_, order_, life_, role) == AfterState::Met) start(at);
  }
}

void Transition::start(std::size_t at) {
  Task& task = edit_task(at);
  task.state = TaskState::Starting;
  effects_.start.push_back(task.ref);
}

/// Tasks that have a place but wait for another role to start.
void Transition::start_held() {
  for (std::size_t r = 0; r < spec_.roles.size(); ++r) {
    const int role = static_cast<int>(r);
    if (spec_.roles[r].after.empty() ||
        after_state(spec_, order_, life_, role) != AfterState::Met) {
      continue;
    }
    for (std::size_t at = position_of(life_, {role, 0}).value_or(life_.tasks.size());
         at < life_.tasks.size() && life_.tasks[at].ref.role == role;
         ++at) {
      if (life_.tasks[at].state == TaskState::Waiting && life_.tasks[at].placement) start(at);
    }
  }
}

void Transition::check_all_started() {
  if (life_.state != JobState::Starting) return;
  const std::int64_t wanted = std::max<std::int64_t>(1, gang_size(spec_));
  if (std::ranges::count_if(life_.tasks, has_started) < wanted) return;
  move(JobEvent::TasksUp, JobState::Running);
  life_.started_at = now_;
  note("job.running", JsonObject().add("attempt", life_.attempt).text());
}

void Transition::on(const fact::TaskStarted& fact) {
  const auto at = current(fact.task, fact.attempt, fact.tries);
  if (!at || life_.tasks[*at].started_at) return;
  Task& task = edit_task(*at);
  task.started_at = now_;
  if (task.state == TaskState::Starting) task.state = TaskState::Running;
  if (life_.state == JobState::Stopping) return;
  // A job of one task runs when its task does: one line says both.
  if (life_.tasks.size() > 1 || life_.state == JobState::Running) {
    note("task.started", JsonObject().add("task", name_of(spec_, task.ref)).text());
  }
  check_all_started();
  start_held();
}

void Transition::on(const fact::TaskEnded& fact) {
  const auto at = current(fact.task, fact.attempt, fact.tries);
  if (!at) return;
  const Task& task = life_.tasks[*at];
  if (task.hold_until) {
    // The report that led to the hold, again; only its container's own end cuts the hold short.
    if (fact.ending.outcome != Outcome::Lost && fact.ending.outcome != Outcome::Stopped) return;
    release_hold(*at);
    if (life_.state == JobState::Stopping)
      finish_if_all_ended();
    else
      take_outcome(*at);
    return;
  }
  Ending ending = settled(task, fact.ending);
  if (must_hold(task, ending)) {
    Task& held = edit_task(*at);
    if (!held.started_at) held.started_at = now_;
    held.state = TaskState::Running;
    held.ending = std::move(ending);
    held.hold_until = now_ + std::min(spec_.debug_hold.value_or(Seconds{0}), rules_.max_debug_hold);
    note("task.held",
         describe(name_of(spec_, held.ref), held.ending)
             .add("until", to_rfc3339(*held.hold_until))
             .text());
    check_all_started();
    return;
  }
  end_task(*at, std::move(ending));
}

/// What a report counts as: once told to stop, a task that went on to end is a stopped one.
Ending Transition::settled(const Task& task, Ending reported) const {
  if (task.state == TaskState::Stopping) {
    const bool by_itself =
        (reported.outcome == Outcome::Succeeded || reported.outcome == Outcome::Failed) &&
        task.stopping_since && now_ <= *task.stopping_since;
    if (!by_itself) {
      Ending ending =
          task.ending.outcome == Outcome::Failed ? task.ending : stopped(task.ending.reason);
      ending.exit_code = reported.exit_code;
      ending.signal = reported.signal;
      return ending;
    }
  } else if (reported.outcome == Outcome::Stopped) {
    return lost(say::stopped_by_others(), Reason::Evicted);
  }
  if (reported.outcome == Outcome::None) return lost(say::left_no_trace());
  if (reported.outcome != Outcome::Succeeded && reported.failure == FailureClass::None) {
    reported.failure = class_of(reported.reason);
    if (reported.failure == FailureClass::None) reported.failure = FailureClass::Platform;
  }
  return reported;
}

bool Transition::must_hold(const Task& task, const Ending& ending) const {
  if (!spec_.debug_hold || !is_placed_and_undecided() || task.state == TaskState::Stopping)
    return false;
  if (ending.outcome != Outcome::Failed) return false;
  return ending.reason == Reason::Exit || ending.reason == Reason::Killed ||
         ending.reason == Reason::CommandNotFound || ending.reason == Reason::Oom;
}

/// Engines enforce limits by themselves; whether it was the job's or the role's own, they cannot
/// say.
bool Transition::ended_by_job_time_limit(const Task& task, const Ending& ending) const {
  if (ending.reason != Reason::TimeLimit || ending.outcome != Outcome::Failed) return false;
  const auto own = role_of(task).task_limit;
  if (!own || !task.started_at) return limit_in_force(life_, rules_).has_value() && !own;
  const auto job = time_limit_ends(life_, rules_, life_.started_at.value_or(*task.started_at));
  return job && *job <= *task.started_at + *own;
}

void Transition::record_end(std::size_t at, Ending ending) {
  Task& task = edit_task(at);
  task.state = state_after(ending.outcome);
  task.ending = std::move(ending);
  task.ended_at = now_;
  task.hold_until.reset();
  if (!task.started_at && command_ran(task.ending)) task.started_at = now_;
  effects_.ended.push_back({.attempt = life_.attempt, .task = task});
}

void Transition::end_task(std::size_t at, Ending ending) {
  const bool job_limit =
      is_placed_and_undecided() && ended_by_job_time_limit(life_.tasks[at], ending);
  // The same as when we strike first: the job failed, its tasks were stopped.
  if (job_limit) {
    const Ending reported = std::exchange(ending, stopped(Reason::TimeLimit));
    ending.exit_code = reported.exit_code;
    ending.signal = reported.signal;
  }
  record_end(at, std::move(ending));
  const Task& task = life_.tasks[at];
  if (life_.tasks.size() > 1)
    note("task.ended", describe(name_of(spec_, task.ref), task.ending).text());
  if (life_.state == JobState::Stopping) return finish_if_all_ended();
  if (job_limit) return enforce_time_limit();
  check_all_started();
  if (task.restarting) return start_again(at, "restart");
  take_outcome(at);
}

/// Steps 1 to 8 of job-model §6.1 for the outcome just recorded.
void Transition::take_outcome(std::size_t at) {
  const Task& task = life_.tasks[at];
  const auto role = static_cast<std::size_t>(task.ref.role);
  const Tally count = tally(spec_, life_.tasks);
  RoleTally before = count.roles[role];
  if (task.state == TaskState::Succeeded) {
    --before.succeeded;
    if (spec_.roles[role].completion.decider == task.ref.index) before.decider_succeeded = false;
  }
  const bool was_done = is_done(spec_.roles[role], before);

  if (!was_done && may_restart(task)) {
    ++life_.tasks[at].restarts;
    return start_again(at, "restart");
  }
  if (!was_done) {
    const Policy* policy = PolicyEvents(spec_, count, task).match(spec_, task.ref.role);
    if (policy != nullptr && !policy->delay && apply_policy(*policy, at)) return;
  }
  if (!was_done && may_restart_lost(task)) {
    ++life_.tasks[at].lost_restarts;
    return start_again(at, "lost");
  }
  if (const auto verdict = judge(spec_, count, role, was_done)) return decide(*verdict, count, at);
  if (!was_done && is_done(spec_.roles[role], count.roles[role])) stop_rest_of_role(task.ref.role);
  start_held();
  fail_if_dependents_cannot_start();
}

bool Transition::may_restart(const Task& task) const {
  const Restart& restart = role_of(task).restart;
  if (restart.budget >= 0 && task.restarts >= restart.budget) return false;
  if (task.state == TaskState::Stopped) return false;
  // Losses have a count of their own where the job asked for that.
  if (is_loss(task.ending) && restart.lost) return false;
  if (restart.on == RestartOn::Any) return true;
  return task.state == TaskState::Failed && (task.ending.failure == FailureClass::User ||
                                             task.ending.failure == FailureClass::Platform);
}

bool Transition::may_restart_lost(const Task& task) const {
  return task.state == TaskState::Failed && is_loss(task.ending) && role_of(task).restart.lost &&
         task.lost_restarts < kMostLostRestarts;
}

void Transition::start_again(std::size_t at, std::string_view why) {
  Task& task = edit_task(at);
  JsonObject data = describe(name_of(spec_, task.ref), task.ending);
  ++task.tries;
  task.state = TaskState::Waiting;
  task.restarting = false;
  task.placement.reset();
  task.started_at.reset();
  task.stopping_since.reset();
  data.add("why", why).add("try", task.tries).add("wait_s", restart_wait(task.tries).count());
  note("task.restarted", data.text());
}

void Transition::stop(std::size_t at, Reason reason) {
  Task& task = edit_task(at);
  task.state = TaskState::Stopping;
  task.stopping_since = now_;
  task.ending = {.reason = reason};
  effects_.stop.push_back(
      {.task = task.ref, .attempt = life_.attempt, .tries = task.tries, .reason = reason});
}

/// Everything that runs is told to stop, once.
void Transition::stop_alive(Reason reason) {
  edit().stop_at.reset();
  for (std::size_t at = 0; at < life_.tasks.size(); ++at) {
    const Task& task = life_.tasks[at];
    if (task.hold_until)
      release_hold(at);
    else if (task.state == TaskState::Starting || task.state == TaskState::Running)
      stop(at, reason);
  }
}

void Transition::stop_rest_of_role(int role) {
  for (std::size_t at = position_of(life_, {role, 0}).value_or(life_.tasks.size());
       at < life_.tasks.size() && life_.tasks[at].ref.role == role;
       ++at) {
    const TaskState state = life_.tasks[at].state;
    if (life_.tasks[at].hold_until) {
      release_hold(at);
    } else if (state == TaskState::Waiting) {
      Task& task = edit_task(at);
      task.state = TaskState::Stopped;
      task.ending = stopped(Reason::JobEnded);
    } else if (state == TaskState::Starting || state == TaskState::Running) {
      stop(at, Reason::JobEnded);
    } else if (life_.tasks[at].restarting) {
      edit_task(at).restarting = false;
    }
  }
}

/// The hold is over, by time or because the job goes on without it: what its command returned
/// counts now, and whatever still keeps its resources may go.
void Transition::release_hold(std::size_t at) {
  const Task& task = life_.tasks[at];
  effects_.stop.push_back({.task = task.ref,
                           .attempt = life_.attempt,
                           .tries = task.tries,
                           .reason = Reason::JobEnded});
  record_end(at, task.ending);
  if (life_.tasks.size() > 1)
    note("task.ended", describe(name_of(spec_, task.ref), task.ending).text());
}

}  // namespace ty::model
