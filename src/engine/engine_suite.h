#pragma once
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "engine/test_support.h"

/// What every engine must do, told once. Each engine gives a Stage to `engine_suite_test.cc`.
namespace ty::engine::testing {

/// The world of one engine under test. `open` may be called again after the engine before was
/// destroyed: the tasks are still there, as after a restart of the server.
class Stage {
 public:
  virtual ~Stage() = default;
  virtual std::unique_ptr<Engine> open(ReportSink sink) = 0;
  /// A task that does what the words of a FakeTask say.
  virtual Launch launch(const model::TaskKey& key, const std::string& words) = 0;
  /// How often the task's command was begun.
  virtual int starts(const model::TaskKey& key) = 0;
};

struct StageMaker {
  std::string name;
  std::function<std::unique_ptr<Stage>()> make;
};

class EngineSuite : public ::testing::TestWithParam<StageMaker> {
 protected:
  EngineSuite() : stage_(GetParam().make()), engine_(stage_->open(inbox_->sink())) { recover({}); }

  model::TaskKey key(int index = 0) const {
    model::TaskKey key;
    key.job = job_;
    key.task.index = index;
    return key;
  }

  void start(const model::TaskKey& key, const std::string& words) {
    const auto started = await(engine_->start(stage_->launch(key, words)));
    ASSERT_TRUE(started) << started.error().message;
  }
  void stop(const model::TaskKey& key, Millis grace) {
    ASSERT_TRUE(await(engine_->stop(key, grace)));
  }
  std::vector<model::TaskKey> recover(std::vector<model::TaskKey> expected) {
    auto unknown = await(engine_->recover(std::move(expected)));
    EXPECT_TRUE(unknown) << (unknown ? "" : unknown.error().message.text());
    return unknown.value_or(std::vector<model::TaskKey>{});
  }
  /// The server ends and comes back; reports of before are forgotten.
  void restart() {
    engine_.reset();
    inbox_ = std::make_unique<Inbox>();
    engine_ = stage_->open(inbox_->sink());
  }
  Inbox& inbox() { return *inbox_; }
  std::string log_text(const model::TaskKey& key) {
    auto reader = engine_->records()->log(key).open();
    if (!reader) return {};
    std::string text(reader->size(), '\0');
    EXPECT_EQ(reader->read_at(0, text).value_or(0), text.size());
    return text;
  }

  std::unique_ptr<Stage> stage_;
  std::unique_ptr<Inbox> inbox_ = std::make_unique<Inbox>();
  std::unique_ptr<Engine> engine_;

 private:
  const JobId job_ = random_job_id();
};

}  // namespace ty::engine::testing
