#include "control/housekeeping/housekeeping.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "control/testing/world.h"

namespace ty::control {
namespace {

namespace fs = std::filesystem;
using model::JobState;

/// Rounds at any time of the calendar, over a world whose own clock is the machine's.
class HousekeepingTest : public testing::Test {
 protected:
  void round_in(Millis ahead) {
    World::Server& server = *world.server;
    const ManualClock later(server.clock.now() + ahead);
    Housekeeping housekeeping{{.jobs = server.jobs,
                               .sessions = server.sessions,
                               .uploads = server.uploads,
                               .board = server.board,
                               .records = server.records,
                               .pool = server.pool,
                               .deletions = server.deletions(),
                               .clock = later,
                               .config = config}};
    server.wait(housekeeping.round());
  }
  bool is_kept(const JobId& id) {
    return world.server->wait(world.server->jobs.find(id)).has_value();
  }
  bool has_log(const JobId& id) {
    const model::TaskKey key{.job = id, .attempt = 0, .task = {.role = 0, .index = 0}, .tries = 0};
    return world.server->records->log(key).open().has_value();
  }

  World world;
  config::Config config;
};

TEST_F(HousekeepingTest, AJobGoesWhenItsTimeIsOverAndNotBefore) {
  const JobId brief = world.submit_one("run: 'fake: run 1ms'\nkeep: 1h\n");
  const JobId kept = world.submit_one("run: 'fake: run 1ms'\n");
  ASSERT_TRUE(world.reaches(brief, JobState::Succeeded));
  ASSERT_TRUE(world.reaches(kept, JobState::Succeeded));
  round_in(30min);
  EXPECT_TRUE(is_kept(brief));
  round_in(2h);
  EXPECT_FALSE(is_kept(brief));
  EXPECT_TRUE(is_kept(kept));
}

TEST_F(HousekeepingTest, CodeThatNoJobUsesGoesAfterADay) {
  const fs::path uploads = world.root() / "uploads";
  const std::string sha256(64, 'a');
  std::ofstream(uploads / sha256) << "an archive";
  fs::create_directory(uploads / (sha256 + ".d"));
  std::ofstream(uploads / "incoming-1") << "half an archive";
  round_in(12h);
  EXPECT_TRUE(fs::exists(uploads / sha256));
  EXPECT_TRUE(fs::exists(uploads / "incoming-1"));
  round_in(25h);
  EXPECT_FALSE(fs::exists(uploads / sha256));
  EXPECT_FALSE(fs::exists(uploads / (sha256 + ".d")));
  EXPECT_FALSE(fs::exists(uploads / "incoming-1"));
}

TEST_F(HousekeepingTest, LogsGoWhenTheSiteKeepsThemNoLonger) {
  config.logs.keep = std::chrono::days{7};
  const JobId id = world.submit_one("run: 'fake: run 1ms'\n");
  ASSERT_TRUE(world.reaches(id, JobState::Succeeded));
  ASSERT_TRUE(has_log(id));
  round_in(std::chrono::days{6});
  EXPECT_TRUE(has_log(id));
  round_in(std::chrono::days{8});
  EXPECT_FALSE(has_log(id));
  EXPECT_TRUE(is_kept(id));
}

TEST_F(HousekeepingTest, SessionsThatExpiredAreForgotten) {
  World::Server& server = *world.server;
  const Time now = server.clock.now();
  ASSERT_TRUE(server.wait(server.sessions.create({.hash = "h",
                                                  .user = world.admin.user,
                                                  .created_at = now,
                                                  .expires_at = now + std::chrono::days{7}})));
  const auto count = [&] { return server.wait(server.sessions.list(world.admin.user))->size(); };
  round_in(std::chrono::days{6});
  EXPECT_EQ(count(), 1u);
  round_in(std::chrono::days{8});
  EXPECT_EQ(count(), 0u);
}

}  // namespace
}  // namespace ty::control
