#include "store/job_store.h"

#include "store/impl/test_fixture.h"

namespace ty::store::testing {
namespace {

using model::JobState;
using model::TaskState;

class JobStoreTest : public OnBoth {};
TY_ON_BOTH(JobStoreTest);

TEST_P(JobStoreTest, AnInsertedJobIsFoundWithEverythingItBrought) {
  NewJob fresh = new_job("mnist", ann);
  fresh.job.priority = 100;
  fresh.job.gpus_total = 8;
  fresh.job.dialect = model::Dialect::OpenPaiV2;
  fresh.job.life.tasks = {{.ref = {0, 0}}, {.ref = {1, 0}}, {.ref = {1, 1}}};
  fresh.job.life.time_limit = 3600s;
  fresh.original.bytes = std::string("a\0b\xff", 4) + std::string(5000, 'x');
  fresh.original.secret_ranges = {{3, 7}, {90, 12}};
  fresh.labels = {{"team", "vision"}, {"tag", ""}};
  const JobId id = fresh.job.id;
  const NewJob given = fresh;
  const Inserted inserted = run(stores().jobs.insert(std::move(fresh)));
  EXPECT_FALSE(inserted.repeated);
  EXPECT_EQ(inserted.job.version, 1);

  const model::Job job = run(stores().jobs.find(id));
  EXPECT_EQ(job.seq, inserted.job.seq);
  EXPECT_EQ(job.name, "mnist");
  EXPECT_EQ(job.handle, "mnist");
  EXPECT_EQ(job.owner_name, "ann");
  EXPECT_EQ(job.workspace_name, "default");
  EXPECT_EQ(job.dialect, model::Dialect::OpenPaiV2);
  EXPECT_EQ(job.priority, 100);
  EXPECT_EQ(job.gpus_total, 8);
  EXPECT_EQ(job.tasks_total, 3);
  EXPECT_EQ(job.life, given.job.life);
  EXPECT_EQ(run(stores().jobs.spec(job.seq)), given.spec_json);
  const Original original = run(stores().jobs.original(job.seq));
  EXPECT_EQ(original.bytes, given.original.bytes);
  EXPECT_EQ(original.media_type, given.original.media_type);
  EXPECT_EQ(original.secret_ranges, given.original.secret_ranges);
  EXPECT_EQ(run(stores().jobs.labels(job.seq)), given.labels);

  EventQuery query{.job = job.seq};
  const EventPage page = run(stores().events.after(query));
  ASSERT_EQ(page.events.size(), 1u);
  EXPECT_EQ(page.events[0].id, inserted.event);
  EXPECT_EQ(page.events[0].kind, "job.submitted");
  EXPECT_EQ(page.events[0].actor, "ann");
  EXPECT_EQ(page.events[0].job, id);
}

TEST_P(JobStoreTest, ARepeatedNameGetsANumberedHandle) {
  EXPECT_EQ(world.insert(new_job("a", ann)).handle, "a");
  EXPECT_EQ(world.insert(new_job("a", ann)).handle, "a-2");
  EXPECT_EQ(world.insert(new_job("a", ann)).handle, "a-3");
  EXPECT_EQ(world.insert(new_job("a", bob)).handle, "a");
  EXPECT_EQ(world.insert(new_job("a-4", ann)).handle, "a-4");
  EXPECT_EQ(world.insert(new_job("a", ann)).handle, "a-5");
  EXPECT_EQ(world.insert(new_job("a-4", ann)).handle, "a-4-2");
  EXPECT_EQ(run(stores().jobs.find_by_handle(ann, "a-3")).name, "a");
  EXPECT_EQ(error_of(stores().jobs.find_by_handle(bob, "a-3")).code, Errc::NotFound);
}

TEST_P(JobStoreTest, ADialectThatWantsUniqueNamesIsToldWhichJobHasIt) {
  const model::Job first = world.insert(new_job("a", ann));
  NewJob second = new_job("a", ann);
  second.unique_name = true;
  const Error error = error_of(stores().jobs.insert(second));
  EXPECT_EQ(error.code, Errc::Conflict);
  EXPECT_EQ(error.message.text(),
            "you already have a job called a (" + first.id.str().substr(0, 7) +
                "…, queued); delete it or choose another name");
  ASSERT_EQ(error.details.size(), 1u);
  EXPECT_EQ(error.details[0].code, "name_taken");
}

TEST_P(JobStoreTest, UnknownOwnersAndWorkspacesAreRefused) {
  EXPECT_EQ(error_of(stores().jobs.insert(new_job("a", UserId{99}))).code, Errc::NotFound);
  EXPECT_EQ(error_of(stores().jobs.insert(new_job("a", ann, WorkspaceId{99}))).code,
            Errc::NotFound);
}

TEST_P(JobStoreTest, TheSameRequestTwiceIsOneJob) {
  NewJob fresh = new_job("a", ann);
  fresh.idempotency_key = "k1";
  fresh.body_hash = "h1";
  const model::Job first = world.insert(fresh);
  NewJob again = new_job("a", ann);
  again.idempotency_key = "k1";
  again.body_hash = "h1";
  const Inserted second = run(stores().jobs.insert(again));
  EXPECT_TRUE(second.repeated);
  EXPECT_EQ(second.job.id, first.id);
  again.body_hash = "h2";
  EXPECT_EQ(error_of(stores().jobs.insert(again)).code, Errc::Conflict);
  again.job.owner = bob;
  EXPECT_FALSE(run(stores().jobs.insert(again)).repeated);
  EXPECT_EQ(run(stores().jobs.forget_keys(kStart + 1h)), 2);
  again.job.id = random_job_id();
  EXPECT_FALSE(run(stores().jobs.insert(again)).repeated);
}

TEST_P(JobStoreTest, WhatHappensToAJobIsStoredWithItsTasksAndEvents) {
  NewJob fresh = new_job("a", ann);
  fresh.job.life.tasks = {{.ref = {0, 0}}, {.ref = {0, 1}}};
  const model::Job job = world.insert(fresh);

  JobChange change = change_of(job, JobState::Starting);
  change.life.placed_at = kStart + 1s;
  model::Task placed{.ref = {0, 1}, .state = TaskState::Starting};
  placed.placement = model::Placement{
      .node = "n1", .address = "10.0.0.1", .gpus = {0, 3}, .ports = {{20000}, {20001}}};
  change.tasks = {placed};
  change.notes = {{.kind = "job.placed", .data = R"({"node":"n1"})"},
                  {.kind = "task.started", .actor = "bob"}};
  const Saved saved = ok(world.save(change));
  EXPECT_EQ(saved.version, 2);

  const model::Job now = run(stores().jobs.find(job.id));
  EXPECT_EQ(now.version, 2);
  EXPECT_EQ(now.life.state, JobState::Starting);
  EXPECT_EQ(now.life.placed_at, kStart + 1s);
  ASSERT_EQ(now.life.tasks.size(), 2u);
  EXPECT_EQ(now.life.tasks[0], (model::Task{.ref = {0, 0}}));
  EXPECT_EQ(now.life.tasks[1], placed);

  EventQuery query{.job = job.seq};
  const EventPage page = run(stores().events.after(query));
  ASSERT_EQ(page.events.size(), 3u);
  EXPECT_EQ(page.events[1].kind, "job.placed");
  EXPECT_EQ(page.events[1].actor, "trainyard");
  EXPECT_EQ(page.events[1].data, R"({"node":"n1"})");
  EXPECT_EQ(page.events[2].actor, "bob");
  EXPECT_EQ(page.events[2].id, saved.last_event);
}

TEST_P(JobStoreTest, EveryFieldOfALifeSurvives) {
  const model::Job job = world.insert(new_job("a", ann));
  JobChange change = change_of(job, JobState::Stopping);
  model::JobLife& life = change.life;
  life.ending_as = JobState::Failed;
  life.attempt = 2;
  life.retries = {1, 2, 3, 4, 5};
  life.decision = {.task = model::TaskRef{0, 0},
                   .rule = "min_failed",
                   .message = plain("worker 0 failed: exit code 1"),
                   .reason = model::Reason::Exit,
                   .failure = model::FailureClass::User,
                   .exit_code = 1};
  life.queued_at = kStart + 1ms;
  life.not_before = kStart + 2ms;
  life.placed_at = kStart + 3ms;
  life.started_at = kStart + 4ms;
  life.decided_at = kStart + 5ms;
  life.stop_at = kStart + 6ms;
  life.ran = 77ms;
  life.time_limit = 9s;
  model::Task task{
      .ref = {0, 0}, .state = TaskState::Failed, .tries = 3, .restarts = 2, .lost_restarts = 1};
  task.started_at = kStart;
  task.ended_at = kStart + 9ms;
  task.ending = {.outcome = model::Outcome::Failed,
                 .reason = model::Reason::Oom,
                 .failure = model::FailureClass::Permanent,
                 .exit_code = 137,
                 .signal = 9,
                 .message = plain("out of memory")};
  task.hold_until = kStart + 10ms;
  task.stopping_since = kStart + 11ms;
  task.restarting = true;
  change.tasks = {task};
  ok(world.save(change));
  life.tasks = {task};
  EXPECT_EQ(run(stores().jobs.find(job.id)).life, life);
}

TEST_P(JobStoreTest, AStaleVersionLosesAndTheOthersOfTheBatchWin) {
  const model::Job a = world.insert(new_job("a", ann));
  const model::Job b = world.insert(new_job("b", ann));
  ok(world.save(change_of(a, JobState::Starting)));
  std::vector<JobChange> batch{change_of(a, JobState::Cancelled),
                               change_of(b, JobState::Starting),
                               change_of(b, JobState::Running)};
  batch.push_back(change_of(model::Job{.seq = {999}}, JobState::Running));
  batch[0].notes = {{.kind = "job.cancelled"}};
  const auto answers = run(stores().jobs.save(batch));
  ASSERT_EQ(answers.size(), 4u);
  EXPECT_EQ(answers[0].error().code, Errc::Conflict);
  EXPECT_EQ(answers[1]->version, 2);
  EXPECT_EQ(answers[2].error().code, Errc::Conflict);
  EXPECT_EQ(answers[3].error().code, Errc::NotFound);
  EXPECT_EQ(run(stores().jobs.find(a.id)).life.state, JobState::Starting);
  EXPECT_EQ(run(stores().jobs.find(b.id)).life.state, JobState::Starting);
}

TEST_P(JobStoreTest, TriesAndAttemptsLeaveAHistory) {
  model::Job job = world.insert(new_job("a", ann));
  JobChange change = change_of(job, JobState::Running);
  change.life.placed_at = kStart + 1s;
  change.life.started_at = kStart + 2s;
  change.tasks = {{.ref = {0, 0}, .state = TaskState::Running, .started_at = kStart + 2s}};
  job.version = ok(world.save(change)).version;

  // The task ends and is tried again inside the attempt.
  model::Task ended = change.tasks[0];
  ended.state = TaskState::Failed;
  ended.ended_at = kStart + 3s;
  ended.ending = {.outcome = model::Outcome::Failed, .exit_code = 1};
  change.version = job.version;
  change.ended = {{.attempt = 0, .task = ended}};
  change.tasks = {{.ref = {0, 0}, .state = TaskState::Waiting, .tries = 1, .restarts = 1}};
  job.version = ok(world.save(change)).version;
  EXPECT_EQ(run(stores().jobs.find(job.id)).life.tasks[0].tries, 1);

  // The job is tried again as a whole.
  change.version = job.version;
  change.ended.clear();
  change.tasks = {{.ref = {0, 0}}};
  change.life = {.state = JobState::Queued, .attempt = 1, .queued_at = kStart + 4s};
  change.life.decision = {.rule = "min_failed", .message = plain("it failed")};
  job.version = ok(world.save(change)).version;

  const model::Job now = run(stores().jobs.find(job.id));
  EXPECT_EQ(now.life.tasks[0], (model::Task{.ref = {0, 0}}));
  const auto history = run(stores().jobs.task_history(job.seq));
  ASSERT_EQ(history.size(), 2u);
  EXPECT_EQ(history[0].task, ended);
  EXPECT_EQ(history[1].task.tries, 1);
  const auto attempts = run(stores().jobs.attempts(job.seq));
  ASSERT_EQ(attempts.size(), 2u);
  EXPECT_EQ(attempts[0].placed_at, kStart + 1s);
  EXPECT_EQ(attempts[0].ended_at, kStart + 4s);
  EXPECT_EQ(attempts[0].decision.message.text(), "it failed");
  EXPECT_EQ(attempts[1].attempt, 1);
  EXPECT_EQ(attempts[1].decision, model::Decision{});
}

TEST_P(JobStoreTest, ABeginningOfAnIdIsEnoughWhenItIsUnique) {
  NewJob one = new_job("one", ann);
  one.job.id = JobId("abcd1" + std::string(27, '0'));
  NewJob two = new_job("two", ann);
  two.job.id = JobId("abcd2" + std::string(27, '0'));
  world.insert(one);
  world.insert(two);
  EXPECT_EQ(run(stores().jobs.find_by_prefix("abcd1")).name, "one");
  const Error several = error_of(stores().jobs.find_by_prefix("abcd"));
  EXPECT_EQ(several.code, Errc::Conflict);
  EXPECT_NE(several.message.text().find(two.job.id.str() + " (two)"), std::string::npos);
  EXPECT_EQ(error_of(stores().jobs.find_by_prefix("abce")).code, Errc::NotFound);
  const VisibleJobs nothing{.owner = UserId{-1}, .workspaces = {WorkspaceId{-1}}};
  EXPECT_EQ(error_of(stores().jobs.find_by_prefix("abcd", nothing)).code, Errc::NotFound);
  EXPECT_EQ(error_of(stores().jobs.find_by_prefix("abc")).code, Errc::Invalid);
}

TEST_P(JobStoreTest, ARemovedJobLeavesItsDeletionAndFreesItsName) {
  NewJob fresh = new_job("a", ann);
  fresh.idempotency_key = "k";
  fresh.labels = {{"x", "y"}};
  const model::Job job = world.insert(fresh);
  EXPECT_EQ(error_of(stores().jobs.remove(job.seq, "ann", kStart)).code, Errc::Conflict);
  ok(world.save(change_of(job, JobState::Cancelled)));
  const EventId event = run(stores().jobs.remove(job.seq, "ann", kStart + 5s));
  EXPECT_EQ(error_of(stores().jobs.find(job.id)).code, Errc::NotFound);
  EXPECT_EQ(error_of(stores().jobs.spec(job.seq)).code, Errc::NotFound);
  EXPECT_EQ(error_of(stores().jobs.remove(job.seq, "ann", kStart)).code, Errc::NotFound);
  const EventPage page = run(stores().events.after({}));
  ASSERT_EQ(page.events.size(), 1u);
  EXPECT_EQ(page.events[0].id, event);
  EXPECT_EQ(page.events[0].kind, "job.deleted");
  EXPECT_EQ(page.events[0].job, job.id);
  EXPECT_TRUE(run(stores().jobs.counts({})).empty());

  world.open();
  const model::Job next = world.insert(fresh);
  EXPECT_EQ(next.handle, "a");
  EXPECT_GT(next.seq, job.seq) << "numbers are not given out twice";
}

TEST_P(JobStoreTest, CodeIsInUseUntilTheLastJobThatUsesItIsRemoved) {
  NewJob fresh = new_job("a", ann);
  fresh.uploads = {"aaaa", "bbbb"};
  const model::Job one = world.insert(fresh);
  fresh = new_job("b", ann);
  fresh.uploads = {"bbbb"};
  world.insert(fresh);
  const std::vector<std::string> all = {"aaaa", "bbbb", "cccc"};
  EXPECT_EQ(run(stores().jobs.unused_uploads(all)), std::vector<std::string>{"cccc"});
  ok(world.save(change_of(one, JobState::Cancelled)));
  run(stores().jobs.remove(one.seq, "ann", kStart));
  EXPECT_EQ(run(stores().jobs.unused_uploads(all)), (std::vector<std::string>{"aaaa", "cccc"}));
}

TEST_P(JobStoreTest, JobsExpireAfterTheirTime) {
  NewJob fresh = new_job("a", ann);
  fresh.ttl = 60s;
  const model::Job job = world.insert(fresh);
  world.insert(new_job("b", ann));
  EXPECT_TRUE(run(stores().jobs.expired(kStart + 1h)).empty());
  ok(world.save(change_of(job, JobState::Succeeded, kStart + 10s)));
  EXPECT_TRUE(run(stores().jobs.expired(kStart + 69s)).empty());
  const auto expired = run(stores().jobs.expired(kStart + 70s));
  ASSERT_EQ(expired.size(), 1u);
  EXPECT_EQ(expired[0].second, job.id);
}

TEST_P(JobStoreTest, ARestartBeginsWithTheJobsThatHaveNotEnded) {
  const model::Job a = world.insert(new_job("a", ann));
  const model::Job b = world.insert(new_job("b", ann));
  const model::Job c = world.insert(new_job("c", bob));
  ok(world.save(change_of(a, JobState::Succeeded)));
  JobChange running = change_of(b, JobState::Running);
  running.tasks = {{.ref = {0, 0}, .state = TaskState::Running}};
  ok(world.save(running));
  world.open();
  std::vector<model::Job> found;
  ok(stores().jobs.active([&](model::Job job) -> Result<void> {
    found.push_back(std::move(job));
    return {};
  }));
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].id, b.id);
  EXPECT_EQ(found[0].version, 2);
  EXPECT_EQ(found[0].life.tasks, running.tasks);
  EXPECT_EQ(found[1].id, c.id);
}

TEST_P(JobStoreTest, TimesDoNotRunAgainstTheOrderOfJobs) {
  world.insert(new_job("a", ann, {1}, kStart));
  EXPECT_EQ(world.insert(new_job("b", ann, {1}, kStart - 5s)).created_at, kStart);
  world.open();
  EXPECT_EQ(world.insert(new_job("c", ann, {1}, kStart - 10s)).created_at, kStart);
  // A clock that was wrong by a day is believed again; time ranges then compare every job.
  EXPECT_EQ(world.insert(new_job("d", ann, {1}, kStart - 24h)).created_at, kStart - 24h);
  model::JobQuery query{.created_from = kStart - 25h, .created_to = kStart - 23h};
  const auto page = run(stores().jobs.list(query));
  ASSERT_EQ(page.jobs.size(), 1u);
  EXPECT_EQ(page.jobs[0].name, "d");
}

}  // namespace
}  // namespace ty::store::testing
