#include "control/controller.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <ctime>
#include <future>

#include "control/testing/world.h"

namespace ty::control {
namespace {

using model::JobState;

TEST(Controller, AJobRunsToItsEndAndItsTimelineSaysSo) {
  World world;
  const JobId id = world.submit_one("name: hello\nrun: 'fake: run 20ms exit 0'\n");
  EXPECT_TRUE(world.reaches(id, JobState::Succeeded));
  const auto kinds = world.timeline(id);
  EXPECT_EQ(kinds.front(), "job.submitted");
  EXPECT_EQ(kinds.back(), "job.succeeded");
  EXPECT_LE(kinds.size(), 5u) << "each event is a row that a million jobs pay for";
}

TEST(Controller, AFailingCommandFailsTheJobWithItsCode) {
  World world;
  const JobId id = world.submit_one("run: 'fake: exit 7'\n");
  ASSERT_TRUE(world.reaches(id, JobState::Failed));
  EXPECT_EQ(world.job(id).life.decision.exit_code, 7);
}

TEST(Controller, AGangWaitsWholeAndStartsWhole) {
  World world;
  const JobId first = world.submit_one("run: 'fake: never'\ngpus: 3\n");
  ASSERT_TRUE(world.reaches(first, JobState::Running));
  const JobId gang = world.submit_one("run: 'fake: run 10ms'\ncount: 2\ngpus: 1\n");
  const sched::Explanation why = world.server->wait(world.server->controller->explain(gang));
  EXPECT_EQ(why.verdict, sched::Explanation::Verdict::Waits);
  EXPECT_NE(why.whole().text().find('2'), std::string::npos) << why.whole();
  EXPECT_EQ(world.job(gang).life.state, JobState::Queued);
  ASSERT_TRUE(world.server->wait(world.server->service->stop(world.admin, first.str())));
  EXPECT_TRUE(world.reaches(gang, JobState::Succeeded));
  EXPECT_TRUE(world.reaches(first, JobState::Cancelled));
}

TEST(Controller, CancellingAQueuedJobEndsItAtOnce) {
  World world;
  const JobId first = world.submit_one("run: 'fake: never'\ngpus: 4\n");
  ASSERT_TRUE(world.reaches(first, JobState::Running));
  const JobId second = world.submit_one("run: 'fake: never'\ngpus: 4\n");
  const auto stopped = world.server->wait(world.server->service->stop(world.admin, second.str()));
  ASSERT_TRUE(stopped);
  EXPECT_EQ(stopped->life.state, JobState::Cancelled);
  const auto again = world.server->wait(world.server->service->stop(world.admin, second.str()));
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, Errc::Conflict);
}

TEST(Controller, ATaskThatOutlivesTheServerIsTakenBackOnce) {
  World world;
  const JobId id = world.submit_one("run: 'fake: run 600ms exit 0'\n");
  ASSERT_TRUE(world.reaches(id, JobState::Running));
  world.restart();
  EXPECT_EQ(world.job(id).life.state, JobState::Running);
  EXPECT_TRUE(world.reaches(id, JobState::Succeeded));
  EXPECT_EQ(world.machines->starts({.job = id}), 1);
}

TEST(Controller, WhatEndedWhileTheServerWasAwayIsSeen) {
  World world;
  const JobId id = world.submit_one("run: 'fake: run 50ms exit 3'\n");
  ASSERT_TRUE(world.reaches(id, JobState::Running) || world.reaches(id, JobState::Failed));
  world.restart();
  ASSERT_TRUE(world.reaches(id, JobState::Failed));
  EXPECT_EQ(world.job(id).life.decision.exit_code, 3);
  EXPECT_EQ(world.machines->starts({.job = id}), 1);
}

TEST(Controller, QueuedJobsAreStillQueuedAfterARestart) {
  World world;
  const JobId blocker = world.submit_one("run: 'fake: never'\ngpus: 4\n");
  ASSERT_TRUE(world.reaches(blocker, JobState::Running));
  std::vector<JobId> waiting;
  for (int i = 0; i < 20; ++i)
    waiting.push_back(world.submit_one("run: 'fake: run 1ms'\ngpus: 1\n"));
  world.restart();
  EXPECT_EQ(world.job(blocker).life.state, JobState::Running);
  ASSERT_TRUE(world.server->wait(world.server->service->stop(world.admin, blocker.str())));
  for (const JobId& id : waiting) {
    EXPECT_TRUE(world.reaches(id, JobState::Succeeded));
    EXPECT_EQ(world.machines->starts({.job = id}), 1);
  }
}

TEST(Controller, ManyJobsEachRunExactlyOnce) {
  World world;
  std::vector<JobId> ids;
  for (int i = 0; i < 300; ++i)
    ids.push_back(world.submit_one("run: 'fake: run 1ms'\ncpus: 0.5\n"));
  for (const JobId& id : ids) {
    ASSERT_TRUE(world.reaches(id, JobState::Succeeded));
    ASSERT_EQ(world.machines->starts({.job = id}), 1);
  }
}

TEST(Controller, JobsOfOneMomentKeepTheirOrderAndTheirPlacesOverARestart) {
  World world;
  const JobId holder = world.submit_one("run: 'fake: never'\ngpus: 4\n");
  ASSERT_TRUE(world.reaches(holder, JobState::Running));
  std::string file;
  for (int i = 0; i < 20; ++i)
    file += fmt::format("---\nname: job-{:02}\nrun: 'fake: never'\ngpus: 4\n", i);
  const auto jobs = world.submit(file);
  ASSERT_TRUE(jobs) << jobs.error().message;
  const auto names = [&world] {
    std::string all;
    for (const sched::QueueEntry& entry :
         world.server->wait(world.server->controller->queue(0, 50)))
      all += entry.name.substr(4) + " ";
    return all;
  };
  EXPECT_EQ(names(), "00 01 02 03 04 05 06 07 08 09 10 11 12 13 14 15 16 17 18 19 ");
  ASSERT_TRUE(
      world.server->wait(world.server->controller->move((*jobs)[15].id, (*jobs)[3].id, "a test")));
  const std::string moved = "00 01 02 15 03 04 05 06 07 08 09 10 11 12 13 14 16 17 18 19 ";
  EXPECT_EQ(names(), moved);
  world.restart();
  EXPECT_EQ(names(), moved);
}

TEST(Controller, ALimitSetWhileItRunsEndsIt) {
  World world;
  const JobId id = world.submit_one("run: 'fake: never'\n");
  ASSERT_TRUE(world.reaches(id, JobState::Running));
  ASSERT_TRUE(world.server->wait(world.server->service->set_limit(world.admin, id.str(), 1s)));
  ASSERT_TRUE(world.reaches(id, JobState::Failed));
  EXPECT_EQ(world.job(id).life.decision.reason, model::Reason::TimeLimit);
}

TEST(Controller, ManyWaitForOneEndWithoutDisturbingEachOther) {
  World world;
  const JobId id = world.submit_one("run: 'fake: run 400ms'\n");
  std::vector<std::future<void>> waiting;
  for (int i = 0; i < 50; ++i) {
    waiting.push_back(boost::asio::co_spawn(
        world.server->io, world.server->controller->wait_final(id), boost::asio::use_future));
  }
  const auto begin = std::clock();
  for (auto& one : waiting) one.get();
  EXPECT_EQ(world.job(id).life.state, JobState::Succeeded);
  EXPECT_LT(std::clock() - begin, CLOCKS_PER_SEC / 4) << "waiting costs no time of ours";
}

TEST(Controller, APausedJobRunsAgainAfterItIsResumed) {
  World world;
  const JobId id = world.submit_one("run: 'fake: never'\n");
  ASSERT_TRUE(world.reaches(id, JobState::Running));
  ASSERT_TRUE(world.server->wait(world.server->service->pause(world.admin, id.str())));
  ASSERT_TRUE(world.reaches(id, JobState::Paused));
  ASSERT_TRUE(world.server->wait(world.server->service->resume(world.admin, id.str())));
  EXPECT_TRUE(world.reaches(id, JobState::Running));
}

TEST(Controller, AStartThatFailsIsTriedAgainAndSaysWhy) {
  World world;
  const JobId id = world.submit_one("run: 'fake: unstartable'\n");
  bool again = false;
  for (int i = 0; i < 2000 && !again; ++i) {
    const model::Job job = world.job(id);
    again = job.life.state == JobState::Queued && job.life.attempt == 1;
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
  }
  EXPECT_TRUE(again);
  ASSERT_TRUE(world.server->wait(world.server->service->stop(world.admin, id.str())));
  EXPECT_TRUE(world.reaches(id, JobState::Cancelled));
}

}  // namespace
}  // namespace ty::control
