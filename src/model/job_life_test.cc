#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

#include "model/failure.h"
#include "model/job_progress.h"
#include "model/retry.h"
#include "model/words.h"

/// Single turns of a job's life that the numbered scenarios do not show.
namespace ty::model {
namespace {

RoleSpec role(std::string name, std::int64_t count = 1) {
  return {.name = std::move(name), .count = count};
}

JobSpec job(std::vector<RoleSpec> roles) {
  JobSpec spec;
  spec.roles = std::move(roles);
  return spec;
}

class Life {
 public:
  explicit Life(JobSpec spec, SiteRules rules = {})
      : spec_(std::move(spec)), rules_(rules), life_(JobProgress::begin(spec_, now_)) {}

  Effects apply(const Fact& fact) {
    Effects effects = progress().apply(fact, now_);
    for (const Note& note : effects.notes) notes_.push_back(note.kind);
    return effects;
  }
  Effects after(Seconds wait, const Fact& fact = fact::Tick{}) {
    now_ += wait;
    return apply(fact);
  }
  Effects place() {
    fact::Placed placed;
    for (const TaskRef task : to_place()) placed.tasks.push_back({task, {.node = "n"}});
    return apply(placed);
  }
  Effects start(TaskRef task) {
    return apply(fact::TaskStarted{task, life_.attempt, at(task).tries});
  }
  Effects end(TaskRef task, Ending ending) {
    return apply(fact::TaskEnded{task, life_.attempt, at(task).tries, std::move(ending)});
  }
  void run() {
    const Effects effects = place();
    for (const TaskRef task : effects.start) start(task);
  }
  std::vector<TaskRef> to_place() { return progress().to_place(now_); }
  std::optional<Seconds> due_in() {
    const auto next = progress().next_deadline(now_);
    if (!next) return std::nullopt;
    return std::chrono::duration_cast<Seconds>(*next - now_);
  }
  const Task& at(TaskRef task) const {
    return *std::ranges::find_if(life_.tasks, [&](const Task& one) { return one.ref == task; });
  }
  JobProgress progress() { return JobProgress(spec_, life_, rules_, 1); }

  const JobLife& operator*() const { return life_; }
  const JobLife* operator->() const { return &life_; }
  const std::vector<std::string>& notes() const { return notes_; }
  Time now() const { return now_; }

 private:
  JobSpec spec_;
  SiteRules rules_;
  Time now_ = from_millis(1'700'000'000'000);
  JobLife life_;
  std::vector<std::string> notes_;
};

TEST(JobLife, AJobOfOneTaskLeavesThreeLines) {
  Life life(job({role("main")}));
  life.run();
  life.end({0, 0}, exited(0));
  EXPECT_EQ(life->state, JobState::Succeeded);
  EXPECT_EQ(life.notes(), (std::vector<std::string>{"job.placed", "job.running", "job.succeeded"}));
}

TEST(JobLife, AnEndWithoutAStartIsEnough) {
  Life life(job({role("main")}));
  life.place();
  const Effects effects = life.end({0, 0}, exited(3));
  EXPECT_EQ(life->state, JobState::Failed);
  EXPECT_EQ(life->decision.message.text(), "main-0 failed: exit code 3");
  EXPECT_EQ(life->decision.exit_code, 3);
  ASSERT_EQ(effects.ended.size(), 1u);
  EXPECT_TRUE(effects.ended[0].task.started_at);
  EXPECT_FALSE(life.start({0, 0}).changed);
}

TEST(JobLife, RunsWhenTheWholeGangIsUp) {
  Life life(job({role("w", 2)}));
  life.place();
  life.start({0, 1});
  EXPECT_EQ(life->state, JobState::Starting);
  life.start({0, 0});
  EXPECT_EQ(life->state, JobState::Running);
}

TEST(JobLife, WithoutAGangTheFirstTaskIsEnoughAndOthersFollow) {
  JobSpec spec = job({role("w", 3)});
  spec.min_available = 0;
  Life life(spec);
  life.apply(fact::Placed{{{{0, 1}, {}}}});
  life.start({0, 1});
  EXPECT_EQ(life->state, JobState::Running);
  EXPECT_EQ(life.to_place(), (std::vector<TaskRef>{{0, 0}, {0, 2}}));
}

TEST(JobLife, CancellingAQueuedJobEndsItAtOnce) {
  Life life(job({role("main")}));
  const Effects effects = life.apply(fact::CancelAsked{"ann"});
  EXPECT_EQ(life->state, JobState::Cancelled);
  EXPECT_EQ(life.at({0, 0}).state, TaskState::Stopped);
  ASSERT_EQ(effects.notes.size(), 1u);
  EXPECT_EQ(effects.notes[0].actor, "ann");
  EXPECT_TRUE(effects.stop.empty());
}

TEST(JobLife, CancellingARunningJobWaitsForItsTasks) {
  Life life(job({role("w", 2)}));
  life.run();
  EXPECT_EQ(life.apply(fact::CancelAsked{"ann"}).stop.size(), 2u);
  EXPECT_EQ(life->state, JobState::Stopping);
  EXPECT_FALSE(life.apply(fact::CancelAsked{"bob"}).changed);
  life.after(1s);
  life.end({0, 0}, stopped());
  EXPECT_EQ(life->state, JobState::Stopping);
  life.end({0, 1}, stopped());
  EXPECT_EQ(life->state, JobState::Cancelled);
}

TEST(JobLife, WhatATaskReturnsAfterTheSignalDoesNotCount) {
  Life life(job({role("w", 2)}));
  life.run();
  life.apply(fact::CancelAsked{"ann"});
  life.after(2s, fact::TaskEnded{{0, 0}, 0, 0, exited(0)});
  EXPECT_EQ(life.at({0, 0}).state, TaskState::Stopped);
  EXPECT_EQ(life.at({0, 0}).ending.reason, Reason::UserStop);
  EXPECT_EQ(life.at({0, 0}).ending.exit_code, 0);
}

TEST(JobLife, ACancelTurnsARetryIntoAnEnd) {
  JobSpec spec = job({role("w", 2)});
  spec.retry.budget = 5;
  Life life(spec);
  life.run();
  life.end({0, 0}, exited(1));
  EXPECT_EQ(life->ending_as, JobState::Queued);
  life.apply(fact::CancelAsked{"ann"});
  EXPECT_EQ(life->ending_as, JobState::Cancelled);
  life.end({0, 1}, stopped());
  EXPECT_EQ(life->state, JobState::Cancelled);
  EXPECT_FALSE(life->not_before);
}

TEST(JobLife, AVerdictStandsButNobodyLingersAfterACancel) {
  JobSpec spec = job({role("w", 2)});
  spec.roles[0].completion = {.min_succeeded = 1, .ends_job = true};
  spec.completion.linger = 60s;
  Life life(spec);
  life.run();
  life.end({0, 0}, exited(0));
  EXPECT_EQ(life.due_in(), 60s);
  EXPECT_EQ(life.apply(fact::CancelAsked{"ann"}).stop.size(), 1u);
  life.end({0, 1}, stopped());
  EXPECT_EQ(life->state, JobState::Succeeded);
}

TEST(JobLife, PausingAndResumingIsANewAttempt) {
  Life life(job({role("main")}));
  life.run();
  life.after(30s, fact::PauseAsked{"ann"});
  life.end({0, 0}, stopped());
  EXPECT_EQ(life->state, JobState::Paused);
  EXPECT_EQ(life->ran, 30s);
  EXPECT_TRUE(life.to_place().empty());
  life.after(100s, fact::ResumeAsked{"ann"});
  EXPECT_EQ(life->state, JobState::Queued);
  EXPECT_EQ(life->attempt, 1);
  EXPECT_EQ(life.to_place().size(), 1u);
  EXPECT_EQ(life.at({0, 0}).state, TaskState::Waiting);
}

TEST(JobLife, PausingAQueuedJobUsesNoAttempt) {
  Life life(job({role("main")}));
  life.apply(fact::PauseAsked{"ann"});
  EXPECT_EQ(life->state, JobState::Paused);
  life.apply(fact::ResumeAsked{"ann"});
  EXPECT_EQ(life->attempt, 0);
  EXPECT_EQ(life->state, JobState::Queued);
}

TEST(JobLife, TheTimeLimitCountsAllAttemptsTogether) {
  JobSpec spec = job({role("main")});
  spec.time_limit = 100s;
  spec.retry.budget = -1;
  Life life(spec);
  life.run();
  EXPECT_EQ(life.due_in(), 100s);
  life.after(70s, fact::TaskEnded{{0, 0}, 0, 0, exited(1)});
  EXPECT_EQ(life->state, JobState::Queued);
  EXPECT_EQ(life.due_in(), 10s);
  life.after(10s);
  life.run();
  EXPECT_EQ(life.due_in(), 30s);
  EXPECT_EQ(life.progress().time_limit_at(life.now()), life.now() + 30s);
  EXPECT_EQ(life.after(30s).stop.size(), 1u);
  life.end({0, 0}, stopped());
  EXPECT_EQ(life->state, JobState::Failed);
  EXPECT_EQ(life->decision.reason, Reason::TimeLimit);
  EXPECT_EQ(life->decision.message.text(), "ran longer than its limit of 1m40s");
}

TEST(JobLife, ARaisedLimitGivesMoreTimeAndTheSiteHasTheLastWord) {
  JobSpec spec = job({role("main")});
  spec.time_limit = 100s;
  Life life(spec, {.max_time_limit = 500s});
  life.run();
  EXPECT_EQ(life.apply(fact::LimitSet{300s, "ann"}).notes.at(0).data, R"({"time_limit_s":300})");
  EXPECT_EQ(life.due_in(), 300s);
  life.apply(fact::LimitSet{std::nullopt, "ann"});
  EXPECT_EQ(life.due_in(), 500s);
  life.apply(fact::LimitSet{9000s, "ann"});
  EXPECT_EQ(life.due_in(), 500s);
}

TEST(JobLife, AnEngineThatStruckFirstDecidesTheSame) {
  JobSpec spec = job({role("w", 2)});
  spec.time_limit = 100s;
  spec.retry.budget = 3;
  Life life(spec);
  life.run();
  life.after(99s, fact::TaskEnded{{0, 0}, 0, 0, out_of_time(100s)});
  EXPECT_EQ(life->decision.rule, "time_limit");
  life.end({0, 1}, out_of_time(100s));
  EXPECT_EQ(life->state, JobState::Failed);
  EXPECT_EQ(life->attempt, 0);
}

TEST(JobLife, ATaskLimitFailsTheTask) {
  JobSpec spec = job({role("w", 2)});
  spec.roles[0].task_limit = 50s;
  spec.roles[0].completion.min_failed = 2;
  Life life(spec);
  life.run();
  life.end({0, 1}, exited(0));
  EXPECT_EQ(life.after(50s).stop.at(0).reason, Reason::TimeLimit);
  life.after(1s, fact::TaskEnded{{0, 0}, 0, 0, stopped()});
  EXPECT_EQ(life.at({0, 0}).state, TaskState::Failed);
  EXPECT_EQ(life.at({0, 0}).ending.message.text(), "ran longer than its limit of 50s");
}

TEST(JobLife, WaitingTooLongFails) {
  JobSpec spec = job({role("main")});
  spec.wait_limit = 60s;
  Life life(spec);
  EXPECT_EQ(life.due_in(), 60s);
  life.after(60s);
  EXPECT_EQ(life->state, JobState::Failed);
  EXPECT_EQ(life->decision.reason, Reason::WaitLimit);
}

TEST(JobLife, ABackOffIsNoWaiting) {
  JobSpec spec = job({role("main")});
  spec.wait_limit = 5s;
  spec.retry.budget = 1;
  Life life(spec);
  life.run();
  life.end({0, 0}, exited(1));
  EXPECT_TRUE(life.to_place().empty());
  EXPECT_EQ(life.due_in(), 10s);
  life.after(10s);
  EXPECT_EQ(life->state, JobState::Queued);
  EXPECT_EQ(life.to_place().size(), 1u);
  EXPECT_EQ(life.due_in(), 5s);
}

TEST(JobLife, AJobThatFitsNowhereFails) {
  Life life(job({role("main")}));
  life.apply(fact::Impossible{plain("it asks for 9 GPUs, no node has more than 8")});
  EXPECT_EQ(life->state, JobState::Failed);
  EXPECT_EQ(life->decision.message.text(), "it asks for 9 GPUs, no node has more than 8");
}

TEST(JobLife, PreemptionQueuesAgainAtOnceAndUncounted) {
  Life life(job({role("main")}));
  life.run();
  life.apply(fact::Preempted{plain("a job of higher priority")});
  life.end({0, 0}, stopped());
  EXPECT_EQ(life->state, JobState::Queued);
  EXPECT_FALSE(life->not_before);
  EXPECT_EQ(life->retries.preempted, 1);
  EXPECT_EQ(life->retries.counted, 0);
  EXPECT_EQ(life->attempt, 1);
}

TEST(JobLife, PlatformRetriesEndSomeTime) {
  JobSpec spec = job({role("main")});
  spec.retry.platform_cap = 2;
  Life life(spec);
  for (int i = 0; i < 3; ++i) {
    life.after(1h);
    life.run();
    life.end({0, 0}, lost(plain("the node went away")));
  }
  EXPECT_EQ(life->state, JobState::Failed);
  EXPECT_EQ(life->retries.platform, 2);
}

TEST(JobLife, ARoleWaitsUntilAnotherHasStarted) {
  JobSpec spec = job({role("ps", 2), role("w")});
  spec.roles[1].after = {{.role = "ps", .when = AfterWhen::Started}};
  Life life(spec);
  EXPECT_EQ(life.to_place().size(), 3u);
  EXPECT_EQ(life.place().start.size(), 2u);
  EXPECT_TRUE(life.start({0, 0}).start.empty());
  EXPECT_EQ(life.start({0, 1}).start, (std::vector<TaskRef>{{1, 0}}));
  EXPECT_EQ(life->state, JobState::Starting);
  life.start({1, 0});
  EXPECT_EQ(life->state, JobState::Running);
}

TEST(JobLife, ARoleIsPlacedWhenAnotherHasSucceeded) {
  JobSpec spec = job({role("train", 2), role("eval", 2)});
  spec.roles[1].after = {{.role = "train"}};
  Life life(spec);
  EXPECT_EQ(life.to_place(), (std::vector<TaskRef>{{0, 0}, {0, 1}}));
  life.run();
  EXPECT_EQ(life->state, JobState::Running);
  life.end({0, 0}, exited(0));
  EXPECT_TRUE(life.to_place().empty());
  life.end({0, 1}, exited(0));
  EXPECT_EQ(life->state, JobState::Running);
  EXPECT_EQ(life.to_place(), (std::vector<TaskRef>{{1, 0}, {1, 1}}));
  life.run();
  life.end({1, 0}, exited(0));
  life.end({1, 1}, exited(0));
  EXPECT_EQ(life->state, JobState::Succeeded);
}

TEST(JobLife, ARoleThatCanNeverStartFailsTheJob) {
  JobSpec spec = job({role("train"), role("eval")});
  spec.roles[0].completion.min_failed = std::nullopt;
  spec.roles[1].after = {{.role = "train"}};
  spec.completion.at_end = AtEnd::Succeed;
  Life life(spec);
  life.run();
  life.end({0, 0}, exited(4));
  EXPECT_EQ(life->state, JobState::Failed);
  EXPECT_EQ(life->decision.rule, "after");
  EXPECT_EQ(life->decision.exit_code, 4);
}

TEST(JobLife, RestartsWaitLongerEachTime) {
  JobSpec spec = job({role("main")});
  spec.roles[0].restart.budget = -1;
  Life life(spec);
  for (const Seconds wait : {0s, 1s, 2s, 4s}) {
    life.run();
    const Effects effects = life.end({0, 0}, exited(1));
    EXPECT_EQ(effects.ended.size(), 1u);
    if (wait > 0s) {
      EXPECT_TRUE(life.to_place().empty());
      EXPECT_EQ(life.due_in(), wait);
      life.after(wait);
    }
    EXPECT_EQ(life.to_place().size(), 1u);
  }
  EXPECT_EQ(life->attempt, 0);
  EXPECT_EQ(life.at({0, 0}).restarts, 4);
}

TEST(JobLife, APolicyRestartsARoleAndWaitsForItsTasks) {
  JobSpec spec = job({role("w", 3), role("ps")});
  spec.roles[0].policies = {
      {.events = {PolicyEvent::TaskFailed}, .action = PolicyAction::RestartRole}};
  spec.retry.budget = 1;
  Life life(spec);
  life.run();
  life.end({0, 2}, exited(0));
  const Effects effects = life.end({0, 0}, exited(1));
  EXPECT_EQ(effects.stop.size(), 1u);
  EXPECT_EQ(life.at({0, 0}).state, TaskState::Waiting);
  EXPECT_EQ(life.at({0, 1}).state, TaskState::Stopping);
  EXPECT_EQ(life.at({0, 2}).state, TaskState::Waiting);
  EXPECT_EQ(life.at({1, 0}).state, TaskState::Running);
  EXPECT_EQ(life->retries.counted, 1);
  life.after(1s, fact::TaskEnded{{0, 1}, 0, 0, stopped()});
  EXPECT_EQ(life.at({0, 1}).state, TaskState::Waiting);
  EXPECT_EQ(life.to_place().size(), 3u);
  life.run();
  life.end({0, 0}, exited(1));
  EXPECT_EQ(life->ending_as, JobState::Failed);
  EXPECT_EQ(life->decision.rule, "restart_role");
}

TEST(JobLife, ADelayedPolicyWaitsAndAStartCancelsIt) {
  JobSpec spec = job({role("w", 2)});
  spec.policies = {
      {.events = {PolicyEvent::TaskPending}, .action = PolicyAction::FailJob, .delay = 300s}};
  Life life(spec);
  life.place();
  life.start({0, 0});
  EXPECT_EQ(life.due_in(), 300s);
  {
    Life up = life;
    up.start({0, 1});
    EXPECT_EQ(up.due_in(), std::nullopt);
  }
  life.after(300s);
  EXPECT_EQ(life->ending_as, JobState::Failed);
  EXPECT_EQ(life->decision.message.text(), "w-1 was pending for 5m");
}

TEST(JobLife, AnExitCodePolicyMatchesThatCodeOnly) {
  JobSpec spec = job({role("w", 2)});
  spec.roles[0].completion.min_failed = std::nullopt;
  spec.policies = {{.exit_code = 42, .action = PolicyAction::SucceedJob}};
  Life life(spec);
  life.run();
  life.end({0, 0}, exited(1));
  EXPECT_EQ(life->state, JobState::Running);
  life.end({0, 1}, exited(42));
  EXPECT_EQ(life->state, JobState::Succeeded);
  EXPECT_EQ(life->decision.rule, "succeed_job");
}

TEST(JobLife, AHeldTaskIsLetGoWhenTheJobIsCancelled) {
  JobSpec spec = job({role("main")});
  spec.debug_hold = 1h;
  Life life(spec);
  life.run();
  life.end({0, 0}, exited(1));
  EXPECT_EQ(life.at({0, 0}).state, TaskState::Running);
  EXPECT_FALSE(life.end({0, 0}, exited(1)).changed);
  const Effects effects = life.after(60s, fact::CancelAsked{"ann"});
  EXPECT_EQ(effects.stop.size(), 1u);
  EXPECT_EQ(effects.ended.size(), 1u);
  EXPECT_EQ(life->state, JobState::Cancelled);
  EXPECT_EQ(life.at({0, 0}).state, TaskState::Failed);
}

TEST(JobLife, AHeldTaskWhoseContainerIsLostFailsWithItsOwnCode) {
  JobSpec spec = job({role("main")});
  spec.debug_hold = 1h;
  Life life(spec);
  life.run();
  life.end({0, 0}, exited(7));
  life.after(60s, fact::TaskEnded{{0, 0}, 0, 0, lost(plain("gone"))});
  EXPECT_EQ(life->state, JobState::Failed);
  EXPECT_EQ(life->decision.exit_code, 7);
}

TEST(JobLife, ALateReportOfAnEarlierAttemptIsNoNews) {
  JobSpec spec = job({role("main")});
  spec.retry.budget = 1;
  Life life(spec);
  life.run();
  life.end({0, 0}, exited(1));
  life.after(10s);
  life.run();
  EXPECT_FALSE(life.apply(fact::TaskEnded{{0, 0}, 0, 0, exited(0)}).changed);
  EXPECT_EQ(life->state, JobState::Running);
}

TEST(JobLife, FactsOfAJobWithThousandsOfTasksAreCheap) {
  constexpr int kTasks = 4096;
  JobSpec spec = job({role("w", kTasks)});
  Life life(spec);
  const auto begin = std::chrono::steady_clock::now();
  life.run();
  EXPECT_EQ(life->state, JobState::Running);
  for (int i = 0; i < kTasks; ++i) life.end({0, i}, exited(0));
  EXPECT_EQ(life->state, JobState::Succeeded);
  const auto spent = std::chrono::steady_clock::now() - begin;
  const double micros = std::chrono::duration<double, std::micro>(spent).count() / (2.0 * kTasks);
  RecordProperty("us_per_fact", std::to_string(micros));
  EXPECT_LT(micros, 20'000);
}

TEST(Failure, EndingsSayWhatHappened) {
  EXPECT_EQ(exited(0).outcome, Outcome::Succeeded);
  EXPECT_EQ(exited(1).message.text(), "exit code 1");
  EXPECT_EQ(exited(1).failure, FailureClass::User);
  EXPECT_EQ(exited(127).reason, Reason::CommandNotFound);
  EXPECT_EQ(exited(127).failure, FailureClass::Permanent);
  EXPECT_EQ(exited(137).reason, Reason::Killed);
  EXPECT_EQ(exited(137).message.text(), "exit code 137 (SIGKILL)");
  EXPECT_EQ(exited(255).reason, Reason::Exit);
  EXPECT_EQ(killed_by(9).failure, FailureClass::User);
  EXPECT_EQ(killed_by(11).reason, Reason::Exit);
  EXPECT_EQ(killed_by(11).failure, FailureClass::User);
  EXPECT_EQ(killed_by(4).failure, FailureClass::Permanent);
  EXPECT_EQ(killed_by(9).exit_code, 137);
  EXPECT_EQ(out_of_memory(2LL << 30, 2LL << 30).message.text(),
            "out of memory: limit 2 GB, peak 2 GB; request more memory");
  EXPECT_EQ(fault(Reason::DataFailed, plain("no such bucket"), true).failure,
            FailureClass::Permanent);
  EXPECT_EQ(fault(Reason::DataFailed, plain("the store is away")).failure, FailureClass::Platform);
}

TEST(Failure, ClassesAreThoseOfTheReasonTable) {
  EXPECT_EQ(class_of(Reason::ImageMissing), FailureClass::Permanent);
  EXPECT_EQ(class_of(Reason::PortConflict), FailureClass::Platform);
  EXPECT_EQ(class_of(Reason::GangTimeout), FailureClass::Conflict);
  EXPECT_EQ(class_of(Reason::UserStop), FailureClass::None);
}

TEST(Retry, WaitsDoubleUpToTheLongest) {
  Retry retry{.budget = -1};
  RetryCount count;
  std::vector<Seconds> waits;
  for (int i = 0; i < 9; ++i) {
    const auto plan = plan_retry(retry, count, {.failure = FailureClass::User, .exit_code = 1}, 0);
    ASSERT_TRUE(plan);
    waits.push_back(plan->wait);
    ++count.counted;
  }
  EXPECT_EQ(waits, (std::vector<Seconds>{10s, 20s, 40s, 80s, 160s, 320s, 600s, 600s, 600s}));
}

TEST(Retry, OnlyNamedExitCodesAreRetriedWhenThereAreAny) {
  const Retry retry{.budget = 3, .exit_codes = {75}};
  EXPECT_TRUE(plan_retry(retry, {}, {.failure = FailureClass::User, .exit_code = 75}, 0));
  EXPECT_FALSE(plan_retry(retry, {}, {.failure = FailureClass::User, .exit_code = 1}, 0));
  EXPECT_TRUE(plan_retry(retry, {}, {.failure = FailureClass::Platform}, 0));
}

TEST(Retry, ConflictsWaitAtRandomButTheSameEachTimeAsked) {
  const AttemptEnd end{.failure = FailureClass::Conflict};
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto plan = plan_retry({}, {}, end, seed);
    ASSERT_TRUE(plan);
    EXPECT_GE(plan->wait, 60s);
    EXPECT_LE(plan->wait, 900s);
    EXPECT_EQ(plan->wait, plan_retry({}, {}, end, seed)->wait);
  }
  EXPECT_NE(plan_retry({}, {}, end, 1)->wait, plan_retry({}, {}, end, 2)->wait);
}

}  // namespace
}  // namespace ty::model
