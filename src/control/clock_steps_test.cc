#include "control/clock_steps.h"

#include <gtest/gtest.h>

#include "control/testing/world.h"

/// Somebody sets the machine's clock, by a day in either direction: no job is ended, no limit is
/// lengthened.
namespace ty::control {
namespace {

using model::JobState;
using std::chrono::days;

class ClockSteps : public testing::TestWithParam<int> {
 protected:
  void set_clock() { world.server->clock.set_wall(days{GetParam()}); }
  /// Afterwards the controller has looked at all deadlines, and its engine at its own.
  void let_time_pass() {
    ASSERT_TRUE(world.reaches(world.submit_one("run: 'fake: start 50ms'\n"), JobState::Succeeded));
  }
  World world;
};

TEST_P(ClockSteps, NoRunningOrWaitingJobIsEnded) {
  const JobId limited = world.submit_one("run: 'fake: never'\ntime_limit: 1h\n");
  const JobId large = world.submit_one("run: 'fake: never'\ngpus: 4\nmax_wait: 1h\n");
  ASSERT_TRUE(world.reaches(limited, JobState::Running));
  ASSERT_TRUE(world.reaches(large, JobState::Running));
  const JobId behind = world.submit_one("run: 'fake: never'\ngpus: 4\nmax_wait: 1h\n");
  set_clock();
  const JobId later = world.submit_one("run: 'fake: never'\ntime_limit: 1h\n");
  ASSERT_TRUE(world.reaches(later, JobState::Running));
  const auto limit =
      world.server->wait(world.server->service->set_limit(world.admin, later.str(), 2h));
  ASSERT_TRUE(limit) << limit.error().message;
  let_time_pass();
  for (const JobId& id : {limited, large, later})
    EXPECT_EQ(world.job(id).life.state, JobState::Running) << world.job(id).life.decision.message;
  EXPECT_EQ(world.job(behind).life.state, JobState::Queued);
}

TEST_P(ClockSteps, ALimitStrikesWhenItShould) {
  set_clock();
  const JobId id = world.submit_one("run: 'fake: never'\ntime_limit: 1s\n");
  ASSERT_TRUE(world.reaches(id, JobState::Failed));
  const model::Job job = world.job(id);
  EXPECT_EQ(job.life.decision.reason, model::Reason::TimeLimit);
  EXPECT_GE(*job.life.ended_at - *job.life.started_at, 900ms) << "from its placing on";
  EXPECT_LE(*job.life.ended_at - *job.life.started_at, 10s);
}

TEST_P(ClockSteps, TheNextServerMovesWhatIsStored) {
  const JobId id = world.submit_one("run: 'fake: never'\ntime_limit: 1h\n");
  ASSERT_TRUE(world.reaches(id, JobState::Running));
  const JobId over = world.submit_one("run: 'fake: run 1ms'\n");
  ASSERT_TRUE(world.reaches(over, JobState::Succeeded));
  World::Server& server = *world.server;
  const Time now = server.clock.now();
  ASSERT_TRUE(server.wait(server.sessions.create(
      {.hash = "h", .user = world.admin.user, .created_at = now, .expires_at = now + 1h})));
  const auto session_ends = [&] {
    return server.wait(server.sessions.find_by_hash("h"))->expires_at;
  };
  const model::Job before = world.job(id);
  const model::Job over_before = world.job(over);
  const auto follow = [&](const char* boot, Millis offset) {
    ASSERT_TRUE(server.wait(follow_clock(server.jobs, server.settings, boot, offset)));
  };
  follow("boot-1", 1000ms);
  follow("boot-1", 1400ms);
  EXPECT_EQ(world.job(id).life.started_at, before.life.started_at) << "nobody has set it";
  const Millis step = days{GetParam()};
  follow("boot-1", 1000ms + step);
  follow("boot-1", 1000ms + step);
  const model::Job after = world.job(id);
  EXPECT_EQ(*after.life.started_at - *before.life.started_at, step) << "once";
  EXPECT_EQ(after.life.queued_at - before.life.queued_at, step);
  EXPECT_EQ(*after.life.tasks[0].started_at - *before.life.tasks[0].started_at, step);
  EXPECT_EQ(session_ends() - (now + 1h), step);
  EXPECT_EQ(world.job(over).life.started_at, over_before.life.started_at) << "that is history";
  follow("boot-2", 5000ms);
  EXPECT_EQ(world.job(id).life.started_at, after.life.started_at) << "another boot says nothing";
}

INSTANTIATE_TEST_SUITE_P(ByADay, ClockSteps, testing::Values(1, -1));

}  // namespace
}  // namespace ty::control
