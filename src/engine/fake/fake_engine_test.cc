#include "engine/fake/fake_engine.h"

#include <gtest/gtest.h>

#include "engine/test_support.h"

namespace ty::engine {
namespace {

using model::Outcome;
using model::Reason;
using testing::await;
using testing::Inbox;

class Fake : public ::testing::Test {
 protected:
  model::TaskKey start(const std::string& words, std::optional<Time> deadline = std::nullopt) {
    model::TaskKey key;
    key.job = random_job_id();
    model::Command command;
    command.argv = {"fake:", words};
    Launch launch = testing::one_task(key, std::move(command), engine_.addresses());
    launch.deadline = deadline;
    EXPECT_TRUE(await(engine_.start(std::move(launch))));
    return key;
  }
  void pass(Millis time) {
    clock_.advance(time);
    engine_.run_due();
  }
  /// The end of the task, if it has been reported.
  std::optional<model::Ending> ending(const model::TaskKey& key) {
    for (const TaskReport& report : inbox_.all(key)) {
      if (report.what == TaskReport::What::Ended) return report.ending;
    }
    return std::nullopt;
  }

  ManualClock clock_;
  Inbox inbox_;
  std::shared_ptr<FakeWorld> world_ = std::make_shared<FakeWorld>();
  FakeEngine engine_{world_, clock_, inbox_.sink()};
};

TEST_F(Fake, TimeIsTheClocks) {
  const Time begin = clock_.now();
  const auto key = start("start 2s run 3s exit 7");
  EXPECT_EQ(engine_.next_due(), begin + 2s);
  pass(1s);
  EXPECT_TRUE(inbox_.all(key).empty());
  pass(1s);
  EXPECT_EQ(inbox_.all(key).size(), 1u);
  pass(3s);
  ASSERT_TRUE(ending(key));
  EXPECT_EQ(ending(key)->exit_code, 7);
  EXPECT_EQ(inbox_.all(key)[1].at, begin + 5s);
  EXPECT_EQ(world_->starts(key), 1);
}

TEST_F(Fake, ItDiesInEveryWayATaskCan) {
  const auto oom = start("oom");
  const auto lost = start("lost");
  const auto never = start("never");
  pass(1h);
  EXPECT_EQ(ending(oom)->reason, Reason::Oom);
  EXPECT_EQ(ending(lost)->outcome, Outcome::Lost);
  EXPECT_FALSE(ending(never));
  EXPECT_EQ(world_->running(), std::vector{never});
}

TEST_F(Fake, AStubbornTaskTakesItsGrace) {
  const auto key = start("never stubborn");
  pass(1s);
  ASSERT_TRUE(await(engine_.stop(key, 30s)));
  pass(29s);
  EXPECT_FALSE(ending(key));
  pass(1s);
  EXPECT_EQ(ending(key)->outcome, Outcome::Stopped);
}

TEST_F(Fake, ADeadlineStrikesOnce) {
  const auto key = start("run 10s", clock_.now() + 4s);
  pass(20s);
  EXPECT_EQ(ending(key)->reason, Reason::TimeLimit);
  EXPECT_EQ(inbox_.all(key).size(), 2u);
}

TEST_F(Fake, AFailedNodeTakesItsTasksAlong) {
  const auto key = start("never");
  pass(1s);
  world_->lose_node("n2", clock_.now());
  pass(1s);
  EXPECT_FALSE(ending(key));
  world_->lose_node("n1", clock_.now());
  pass(1s);
  EXPECT_EQ(ending(key)->outcome, Outcome::Lost);
}

TEST_F(Fake, WordsItDoesNotKnowAreTheJobsFault) {
  const auto key = start("rnu 3s");
  pass(1s);
  EXPECT_EQ(ending(key)->reason, Reason::BadSpec);
  EXPECT_NE(ending(key)->message.text().find("rnu"), std::string::npos);
}

TEST_F(Fake, AnythingElseSucceedsAtOnce) {
  model::TaskKey key;
  key.job = random_job_id();
  model::Command command;
  command.shell = model::Shell::Bash;
  command.script = "python train.py";
  ASSERT_TRUE(
      await(engine_.start(testing::one_task(key, std::move(command), engine_.addresses()))));
  engine_.run_due();
  EXPECT_EQ(ending(key)->outcome, Outcome::Succeeded);
}

}  // namespace
}  // namespace ty::engine
