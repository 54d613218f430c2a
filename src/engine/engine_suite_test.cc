#include "engine/engine_suite.h"

#include <filesystem>

#include "base/text.h"
#include "engine/fake/fake_engine.h"
#include "engine/local/local_engine.h"
#include "telemetry/log_paths.h"

namespace ty::engine::testing {
namespace {

using model::Outcome;
using model::Reason;

class FakeStage final : public Stage {
 public:
  std::unique_ptr<Engine> open(ReportSink sink) override {
    auto opened =
        std::make_unique<FakeEngine>(world_, clock_, std::move(sink), FakeEngine::Drive::Thread);
    engine_ = opened.get();
    return opened;
  }
  Launch launch(const model::TaskKey& key, const std::string& words) override {
    model::Command command;
    command.shell = model::Shell::BashOrSh;
    command.script = "fake: " + words;
    return one_task(key, std::move(command), engine_->addresses());
  }
  int starts(const model::TaskKey& key) override { return world_->starts(key); }

 private:
  SystemClock clock_;
  Engine* engine_ = nullptr;  // the one opened last
  std::shared_ptr<FakeWorld> world_ = std::make_shared<FakeWorld>();
};

class ProcessStage final : public Stage {
 public:
  std::unique_ptr<Engine> open(ReportSink sink) override {
    LocalOptions options;
    options.data_dir = dir_.path();
    auto opened = LocalEngine::open(std::move(options), std::move(sink));
    EXPECT_TRUE(opened) << (opened ? "" : opened.error().message.text());
    engine_ = opened->get();
    return *std::move(opened);
  }

  Launch launch(const model::TaskKey& key, const std::string& words) override {
    model::Command command;
    command.shell = model::Shell::BashOrSh;
    command.script = "echo begun\n" + script(words);
    return one_task(key, std::move(command), engine_->addresses());
  }

  int starts(const model::TaskKey& key) override {
    int count = 0;
    for (const std::string& line : split(read_text(log_of(key)), '\n'))
      count += line == "begun" ? 1 : 0;
    return count;
  }

 private:
  std::string log_of(const model::TaskKey& key) const {
    return telemetry::log_path(dir_.path(), key);
  }

  static std::string script(const std::string& words) {
    const auto task = FakeTask::parse(words);
    EXPECT_TRUE(task) << words;
    std::string text;
    if (task->stubborn) text += "trap '' TERM\n";
    const std::string pause =
        task->run ? std::to_string(static_cast<double>(task->run->count()) / 1000) : "1000";
    text += task->stubborn ? "while true; do sleep 0.05; done\n" : "sleep " + pause + "\n";
    if (task->ending.signal)
      return text + "kill -" + std::to_string(*task->ending.signal) + " $$\n";
    return text + "exit " + std::to_string(task->ending.exit_code.value_or(0)) + "\n";
  }

  TempDir dir_;
  Engine* engine_ = nullptr;  // the one opened last
};

TEST_P(EngineSuite, ATaskIsReportedStartedThenSucceeded) {
  start(key(), "run 10ms");
  const auto ended = inbox().ended(key());
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->ending.outcome, Outcome::Succeeded);
  const auto reports = inbox().all(key());
  ASSERT_EQ(reports.size(), 2u);
  EXPECT_EQ(reports[0].what, TaskReport::What::Started);
  EXPECT_LE(reports[0].at, reports[1].at);
}

TEST_P(EngineSuite, AnExitCodeIsAFailureOfTheUser) {
  start(key(), "exit 7");
  const auto ended = inbox().ended(key());
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->ending.outcome, Outcome::Failed);
  EXPECT_EQ(ended->ending.reason, Reason::Exit);
  EXPECT_EQ(ended->ending.failure, model::FailureClass::User);
  EXPECT_EQ(ended->ending.exit_code, 7);
}

TEST_P(EngineSuite, ASignalNotSentByUsIsNamed) {
  start(key(), "signal 9");
  const auto ended = inbox().ended(key());
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->ending.outcome, Outcome::Failed);
  EXPECT_EQ(ended->ending.reason, Reason::Killed);
  EXPECT_EQ(ended->ending.signal, 9);
}

TEST_P(EngineSuite, StartingAgainChangesNothing) {
  start(key(), "run 200ms");
  start(key(), "run 200ms");
  ASSERT_TRUE(inbox().started(key()));
  start(key(), "run 200ms");
  ASSERT_TRUE(inbox().ended(key()));
  EXPECT_EQ(stage_->starts(key()), 1);
}

TEST_P(EngineSuite, AStopEndsATaskAsStopped) {
  start(key(), "never");
  ASSERT_TRUE(inbox().started(key()));
  stop(key(), 10s);
  const auto ended = inbox().ended(key());
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->ending.outcome, Outcome::Stopped);
}

TEST_P(EngineSuite, AStopRightAfterTheStartIsNotLost) {
  for (int i = 0; i < 10; ++i) {
    start(key(i), "never");
    stop(key(i), 10s);
  }
  for (int i = 0; i < 10; ++i) {
    const auto ended = inbox().ended(key(i));
    ASSERT_TRUE(ended) << i;
    EXPECT_EQ(ended->ending.outcome, Outcome::Stopped) << i;
  }
}

TEST_P(EngineSuite, AStubbornTaskIsKilledAfterItsGrace) {
  start(key(), "never stubborn");
  ASSERT_TRUE(inbox().started(key()));
  std::this_thread::sleep_for(100ms);  // until the trap is set
  const auto asked = std::chrono::steady_clock::now();
  stop(key(), 300ms);
  const auto ended = inbox().ended(key());
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->ending.outcome, Outcome::Stopped);
  EXPECT_GE(std::chrono::steady_clock::now() - asked, 280ms);
}

TEST_P(EngineSuite, AnImpatientSecondStopShortensTheGrace) {
  start(key(), "never stubborn");
  ASSERT_TRUE(inbox().started(key()));
  std::this_thread::sleep_for(100ms);
  stop(key(), 60s);
  std::this_thread::sleep_for(20ms);
  stop(key(), 0s);
  EXPECT_TRUE(inbox().ended(key()));
}

TEST_P(EngineSuite, StoppingForgettingOrLimitingNobodyIsFine) {
  stop(key(), 1s);
  EXPECT_TRUE(await(engine_->forget(key())));
  EXPECT_TRUE(await(engine_->set_deadline(key(), std::nullopt)));
}

TEST_P(EngineSuite, ADeadlineEndsATask) {
  Launch launch = stage_->launch(key(), "never");
  launch.deadline = SystemClock{}.now() + 200ms;
  ASSERT_TRUE(await(engine_->start(std::move(launch))));
  const auto ended = inbox().ended(key());
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->ending.reason, Reason::TimeLimit);
}

TEST_P(EngineSuite, ADeadlineCanBeSetAndTakenAwayWhileItRuns) {
  start(key(0), "never");
  Launch launch = stage_->launch(key(1), "run 500ms");
  launch.deadline = SystemClock{}.now() + 250ms;
  ASSERT_TRUE(await(engine_->start(std::move(launch))));
  ASSERT_TRUE(inbox().started(key(0)));
  ASSERT_TRUE(inbox().started(key(1)));
  ASSERT_TRUE(await(engine_->set_deadline(key(0), SystemClock{}.now() + 50ms)));
  ASSERT_TRUE(await(engine_->set_deadline(key(1), std::nullopt)));
  const auto first = inbox().ended(key(0));
  ASSERT_TRUE(first);
  EXPECT_EQ(first->ending.reason, Reason::TimeLimit);
  const auto second = inbox().ended(key(1));
  ASSERT_TRUE(second);
  EXPECT_EQ(second->ending.outcome, Outcome::Succeeded);
}

TEST_P(EngineSuite, WhatRunsIsTakenBackAfterARestart) {
  start(key(0), "run 400ms exit 3");
  start(key(1), "run 10ms");
  ASSERT_TRUE(inbox().started(key(0)));
  restart();
  std::this_thread::sleep_for(50ms);
  const auto unknown = recover({key(0), key(1), key(2)});
  EXPECT_EQ(unknown, std::vector{key(2)});
  ASSERT_TRUE(inbox().started(key(0)));
  const auto first = inbox().ended(key(0));
  ASSERT_TRUE(first);
  EXPECT_EQ(first->ending.exit_code, 3);
  const auto second = inbox().ended(key(1));
  ASSERT_TRUE(second);
  EXPECT_EQ(second->ending.outcome, Outcome::Succeeded);
  EXPECT_EQ(stage_->starts(key(0)), 1);
  EXPECT_EQ(stage_->starts(key(1)), 1);
}

TEST_P(EngineSuite, AnEndIsReportedAgainUntilItIsForgotten) {
  start(key(), "exit 5");
  ASSERT_TRUE(inbox().ended(key()));
  restart();
  EXPECT_TRUE(recover({key()}).empty());
  const auto again = inbox().ended(key());
  ASSERT_TRUE(again);
  EXPECT_EQ(again->ending.exit_code, 5);
  ASSERT_TRUE(await(engine_->forget(key())));
  restart();
  EXPECT_EQ(recover({key()}), std::vector{key()});
}

TEST_P(EngineSuite, AStartAfterARestartDoesNotRunItTwice) {
  start(key(), "run 200ms");
  ASSERT_TRUE(inbox().started(key()));
  restart();
  start(key(), "run 200ms");
  const auto ended = inbox().ended(key());
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->ending.outcome, Outcome::Succeeded);
  EXPECT_EQ(stage_->starts(key()), 1);
}

TEST_P(EngineSuite, ARunningTaskIsNotForgotten) {
  start(key(), "never");
  ASSERT_TRUE(inbox().started(key()));
  EXPECT_FALSE(await(engine_->forget(key())));
  stop(key(), 0s);
  ASSERT_TRUE(inbox().ended(key()));
  EXPECT_TRUE(await(engine_->forget(key())));
}

TEST_P(EngineSuite, ItHasANodeWithResources) {
  const auto nodes = engine_->nodes();
  ASSERT_FALSE(nodes.empty());
  EXPECT_FALSE(nodes[0].name.empty());
  EXPECT_GT(nodes[0].cpu_milli, 0);
  EXPECT_GT(nodes[0].memory, 0);
}

TEST_P(EngineSuite, WhatATaskWroteIsReadFromTheEngine) {
  start(key(), "exit 0");
  ASSERT_TRUE(inbox().ended(key()));
  const std::string text = log_text(key());
  ASSERT_FALSE(text.empty());
  EXPECT_TRUE(text.ends_with('\n')) << text;
  auto reader = engine_->records()->log(key()).open();
  ASSERT_TRUE(reader);
  EXPECT_TRUE(reader->has_times());
  EXPECT_EQ(reader->plain_file() >= 0, engine_->capabilities().log_files);
}

TEST_P(EngineSuite, ATaskThatNeverBeganHasNoLog) {
  const auto reader = engine_->records()->log(key()).open();
  ASSERT_FALSE(reader);
  EXPECT_EQ(reader.error().code, Errc::NotFound);
}

TEST_P(EngineSuite, LogsStayWhenATaskIsForgottenAndGoWithTheirJob) {
  start(key(), "exit 0");
  ASSERT_TRUE(inbox().ended(key()));
  const std::string text = log_text(key());
  ASSERT_TRUE(await(engine_->forget(key())));
  restart();
  recover({});
  EXPECT_EQ(log_text(key()), text);
  ASSERT_TRUE(await(engine_->erase(key().job)));
  EXPECT_EQ(log_text(key()), text) << "erase is about what a job leaves, not about its records";
  ASSERT_TRUE(engine_->records()->remove(key().job));
  EXPECT_EQ(log_text(key()), "");
}

TEST_P(EngineSuite, WhoReadsALogMayOutliveTheEngine) {
  start(key(), "exit 0");
  ASSERT_TRUE(inbox().ended(key()));
  const auto records = engine_->records();
  const std::string text = log_text(key());
  engine_.reset();
  auto reader = records->log(key()).open();
  ASSERT_TRUE(reader);
  EXPECT_EQ(reader->size(), text.size());
}

TEST_P(EngineSuite, RunningTasksAreSampledAndSamplesAreKept) {
  start(key(0), "never");
  start(key(1), "exit 0");
  ASSERT_TRUE(inbox().started(key(0)));
  ASSERT_TRUE(inbox().ended(key(1)));
  std::optional<UsageReport> seen;
  ASSERT_TRUE(eventually([&] {
    for (const UsageReport& report : engine_->usage()) {
      EXPECT_NE(report.key, key(1)) << "it has ended";
      if (report.key == key(0)) seen = report;
    }
    return seen.has_value();
  }));
  ASSERT_TRUE(engine_->records()->add_usage(key(0), seen->usage));
  restart();
  recover({key(0)});
  const auto kept = engine_->records()->last_usage(key(0));
  ASSERT_TRUE(kept && *kept);
  EXPECT_EQ((*kept)->at, seen->usage.at);
  stop(key(0), 0s);
  ASSERT_TRUE(inbox().ended(key(0)));
}

TEST_P(EngineSuite, APlacedTaskHasAnAddressAndItsPorts) {
  model::JobSpec spec;
  model::RoleSpec& role = spec.roles.emplace_back();
  role.name = "worker";
  role.count = 2;
  role.ports = {{.label = "any", .count = 2}, {.label = "fixed", .first = 8888}};
  Addresses& addresses = engine_->addresses();
  std::vector<model::Placement> placed;
  for (int i = 0; i < 2; ++i)
    placed.push_back(addresses.settle(spec, {.role = 0, .index = i}, {.node = "n1"}));
  const std::vector<model::Port> ports = model::all_ports(role);
  for (const model::Placement& one : placed) {
    EXPECT_EQ(one.node, "n1");
    EXPECT_FALSE(one.address.empty());
    ASSERT_GE(one.ports.size(), ports.size());
    for (std::size_t i = 0; i < ports.size(); ++i)
      EXPECT_EQ(one.ports[i].size(), static_cast<std::size_t>(ports[i].count)) << ports[i].label;
  }
  const bool is_own = engine_->capabilities().own_network;
  EXPECT_EQ(placed[0].address != placed[1].address, is_own);
  if (engine_->capabilities().host_ports) EXPECT_NE(placed[0].ports[0], placed[1].ports[0]);
  for (const model::Placement& one : placed) addresses.release(one);
}

INSTANTIATE_TEST_SUITE_P(
    Engines,
    EngineSuite,
    ::testing::Values(StageMaker{"Fake", [] { return std::make_unique<FakeStage>(); }},
                      StageMaker{"Process", [] { return std::make_unique<ProcessStage>(); }}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace ty::engine::testing
