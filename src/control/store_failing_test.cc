#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>

#include "control/testing/world.h"

/// The store cannot write: what people ask for is done, answers say what is stored and what is not,
/// and nothing that was answered is lost.
namespace ty::control {
namespace {

using model::JobState;

/// While it lives, no file of this process grows beyond the database's log: every commit fails.
class NoSpace {
 public:
  explicit NoSpace(const World& world) {
    std::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    rlimit now = before_;
    now.rlim_cur = std::filesystem::file_size(world.root() / "trainyard.db-wal");
    ::setrlimit(RLIMIT_FSIZE, &now);
  }
  ~NoSpace() { ::setrlimit(RLIMIT_FSIZE, &before_); }
  NoSpace(const NoSpace&) = delete;
  NoSpace& operator=(const NoSpace&) = delete;

 private:
  rlimit before_{};
};

Result<model::Job> stop(World& world, const JobId& id) {
  return world.server->wait(world.server->service->stop(world.admin, id.str()));
}

bool comes_true(const std::function<bool()>& check) {
  for (int i = 0; i < 2000; ++i) {
    if (check()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
  }
  return false;
}

TEST(StoreFailing, AStopIsDoneFirstAndStoredWhenItCanBe) {
  World world;
  const JobId id = world.submit_one("run: 'fake: never'\n");
  const JobId other = world.submit_one("run: 'fake: never'\n");
  ASSERT_TRUE(world.reaches(id, JobState::Running));
  ASSERT_TRUE(world.reaches(other, JobState::Running));
  {
    const NoSpace none(world);
    const auto answer = stop(world, id);
    ASSERT_FALSE(answer) << "it is not stored";
    EXPECT_TRUE(comes_true([&] { return world.machines->running().size() == 1; }));
    EXPECT_EQ(world.machines->running().front().job, other);
    EXPECT_EQ(world.job(id).life.state, JobState::Running) << "nothing new is in the store";
    EXPECT_TRUE(world.server->wait(world.server->controller->load()).store_failing);
  }
  EXPECT_TRUE(world.reaches(id, JobState::Cancelled));
  EXPECT_EQ(world.job(other).life.state, JobState::Running);
  EXPECT_FALSE(world.server->wait(world.server->controller->load()).store_failing);
}

TEST(StoreFailing, ARepeatedStopIsNotAnsweredBeforeTheFirstIsStored) {
  World world;
  const JobId id = world.submit_one("run: 'fake: never stubborn'\n");
  ASSERT_TRUE(world.reaches(id, JobState::Running));
  {
    const NoSpace none(world);
    for (int i = 0; i < 3; ++i) ASSERT_FALSE(stop(world, id)) << "a crash now would forget it";
    world.restart();
    EXPECT_EQ(world.job(id).life.state, JobState::Running);
  }
  const auto answer = stop(world, id);
  ASSERT_TRUE(answer) << answer.error().message;
  world.restart();
  EXPECT_NE(world.job(id).life.state, JobState::Running);
}

TEST(StoreFailing, NothingStartsUntilItIsStored) {
  World world;
  const JobId blocker = world.submit_one("run: 'fake: never'\ngpus: 4\n");
  ASSERT_TRUE(world.reaches(blocker, JobState::Running));
  const JobId next = world.submit_one("run: 'fake: never'\ngpus: 4\n");
  {
    const NoSpace none(world);
    ASSERT_FALSE(stop(world, blocker));
    EXPECT_TRUE(comes_true([&] { return world.machines->running().empty(); }));
    ASSERT_FALSE(stop(world, blocker)) << "a later round of the loop, in which the place is free";
    EXPECT_EQ(world.machines->starts({.job = next}), 0);
  }
  EXPECT_TRUE(world.reaches(next, JobState::Running));
  EXPECT_EQ(world.machines->starts({.job = next}), 1);
  EXPECT_EQ(world.job(blocker).life.state, JobState::Cancelled);
}

TEST(StoreFailing, ALimitAndAPauseActWithoutTheStore) {
  World world;
  const JobId limited = world.submit_one("run: 'fake: never'\n");
  const JobId paused = world.submit_one("run: 'fake: never'\n");
  ASSERT_TRUE(world.reaches(limited, JobState::Running));
  ASSERT_TRUE(world.reaches(paused, JobState::Running));
  {
    const NoSpace none(world);
    EXPECT_FALSE(
        world.server->wait(world.server->service->set_limit(world.admin, limited.str(), 1s)));
    EXPECT_FALSE(world.server->wait(world.server->service->pause(world.admin, paused.str())));
    EXPECT_TRUE(comes_true([&] { return world.machines->running().empty(); }));
  }
  EXPECT_TRUE(world.reaches(limited, JobState::Failed));
  EXPECT_EQ(world.job(limited).life.decision.reason, model::Reason::TimeLimit);
  EXPECT_TRUE(world.reaches(paused, JobState::Paused));
}

}  // namespace
}  // namespace ty::control
