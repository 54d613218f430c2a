#include "control/jobs/job_service.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "control/testing/world.h"

namespace ty::control {
namespace {

using model::JobState;

TEST(JobService, AFaultyFileChangesNothing) {
  World world;
  const auto answer = world.submit("name: x\ngpus: two\nrun: 'true'\n");
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Errc::Invalid);
  EXPECT_EQ(world.server->wait(world.server->service->list(world.admin, {}, "", ""))->jobs.size(),
            0u);
}

TEST(JobService, SeveralDocumentsAreAllOrNone) {
  World world;
  const auto none =
      world.submit("name: a\nrun: 'true'\n---\nname: b\nrun: 'true'\nworkspace: nowhere\n");
  ASSERT_FALSE(none);
  EXPECT_EQ(world.server->wait(world.server->service->list(world.admin, {}, "", ""))->jobs.size(),
            0u);
  const auto both = world.submit("name: a\nrun: 'true'\n---\nname: b\nrun: 'true'\n");
  ASSERT_TRUE(both) << both.error().message;
  EXPECT_EQ(both->size(), 2u);
}

TEST(JobService, TheSameKeyAndBodyAreTheSameJob) {
  World world;
  const auto first = world.submit("run: 'true'\n", "k1");
  const auto second = world.submit("run: 'true'\n", "k1");
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->front().id, second->front().id);
  EXPECT_TRUE(second->front().repeated);
  const auto other = world.submit("run: 'false'\n", "k1");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, Errc::Conflict);
}

TEST(JobService, ADryRunStoresNothing) {
  World world;
  SubmitRequest request{.who = world.admin, .body = "run: 'true'\n"};
  request.dry_run = true;
  const auto answer = world.server->wait(world.server->service->submit(std::move(request)));
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->front().id.empty());
  EXPECT_EQ(world.server->wait(world.server->service->list(world.admin, {}, "", ""))->jobs.size(),
            0u);
}

TEST(JobService, OthersDoNotSeeMyJobs) {
  World world;
  const JobId id = world.submit_one("run: 'fake: never'\n");
  auth::Principal stranger{
      .user = UserId{4711}, .name = "eve", .scopes = auth::Scopes{auth::Scope::Write}};
  const auto shown = world.server->wait(world.server->service->show(stranger, id.str()));
  ASSERT_FALSE(shown);
  EXPECT_EQ(shown.error().code, Errc::NotFound);
  const auto nobody =
      world.server->wait(world.server->service->show(stranger, random_job_id().str()));
  ASSERT_FALSE(nobody);
  EXPECT_EQ(nobody.error().code, shown.error().code);
  const auto stopped = world.server->wait(world.server->service->stop(stranger, id.str()));
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, Errc::NotFound);
  EXPECT_EQ(world.server->wait(world.server->service->list(stranger, {}, "", ""))->jobs.size(), 0u);
}

TEST(JobService, ARunningJobIsDeletedOnlyByForce) {
  World world;
  const JobId id = world.submit_one("run: 'fake: never'\n");
  ASSERT_TRUE(world.reaches(id, JobState::Running));
  const auto refused =
      world.server->wait(world.server->service->remove(world.admin, id.str(), false));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::Conflict);
  ASSERT_TRUE(world.server->wait(world.server->service->remove(world.admin, id.str(), true)));
  const auto gone = world.server->wait(world.server->service->show(world.admin, id.str()));
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().code, Errc::NotFound);
}

TEST(JobService, ARetryIsANewJobThatKnowsItsOrigin) {
  World world;
  const JobId id = world.submit_one("name: again\nrun: 'fake: exit 1'\n");
  ASSERT_TRUE(world.reaches(id, JobState::Failed));
  const auto retried = world.server->wait(world.server->service->retry(world.admin, id.str()));
  ASSERT_TRUE(retried) << retried.error().message;
  EXPECT_NE(retried->id, id);
  EXPECT_EQ(retried->handle, "again-2");
  EXPECT_TRUE(world.reaches(retried->id, JobState::Failed));
  const auto bad =
      world.server->wait(world.server->service->clone(world.admin, id.str(), "no/slash"));
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().code, Errc::Invalid);
}

TEST(JobService, WhatNoMachineCanRunIsAcceptedWithAWarning) {
  World world;
  const auto answer = world.submit("run: 'true'\ngpus: 64\n");
  ASSERT_TRUE(answer) << answer.error().message;
  ASSERT_EQ(answer->front().warnings.size(), 1u);
  EXPECT_EQ(answer->front().warnings.front().code, "impossible");
}

TEST(JobService, ReplicasWithPortsOfTheirOwnFitOnOneMachine) {
  World world;  // its tasks share no ports: each has an address of its own
  const auto answer = world.submit(
      "roles:\n  worker: {count: 2, ports: {http: 8888}, run: 'true', image: python}\n");
  ASSERT_TRUE(answer) << answer.error().message;
  for (const auto& warning : answer->front().warnings)
    EXPECT_NE(warning.code, "impossible") << warning.message;
  EXPECT_TRUE(world.reaches(answer->front().id, JobState::Succeeded));
}

TEST(Capacity, IsAskedByManyThreadsAtOnce) {
  World world;
  std::vector<std::jthread> threads;
  std::atomic<int> wrong = 0;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      sched::Request request;
      request.groups.push_back(
          {.tasks = {{0, 0}},
           .each = {.cpu_milli = 1000, .memory = 1 << 20, .gpus = t % 2 == 0 ? 1 : 64}});
      request.min_tasks = 1;
      for (int i = 0; i < 2000; ++i) {
        if (world.server->capacity.fits_ever(request).has_value() != (t % 2 == 0)) ++wrong;
      }
    });
  }
  threads.clear();
  EXPECT_EQ(wrong, 0);
}

TEST(Capacity, FollowsTheMachines) {
  Capacity capacity;
  sched::Request request;
  request.groups.push_back({.tasks = {{0, 0}}, .each = {.cpu_milli = 8000, .memory = 1 << 20}});
  request.min_tasks = 1;
  EXPECT_FALSE(capacity.fits_ever(request));
  capacity.set_nodes({{.name = "small", .cpu_milli = 4000, .memory = 1 << 30}});
  EXPECT_FALSE(capacity.fits_ever(request));
  capacity.set_nodes({{.name = "large", .cpu_milli = 16000, .memory = 1 << 30}});
  EXPECT_TRUE(capacity.fits_ever(request));
  capacity.set_nodes({});
  EXPECT_FALSE(capacity.fits_ever(request));
}

TEST(JobService, JobsAreFoundByPrefixAndByHandle) {
  World world;
  const JobId id = world.submit_one("name: mnist\nrun: 'true'\n");
  EXPECT_EQ(
      world.server->wait(world.server->service->show(world.admin, id.str().substr(0, 8)))->job.id,
      id);
  EXPECT_EQ(world.server->wait(world.server->service->show(world.admin, "admin~mnist"))->job.id,
            id);
  EXPECT_FALSE(world.server->wait(world.server->service->show(world.admin, "abc")));
}

}  // namespace
}  // namespace ty::control
