#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "engine/local/local_engine.h"
#include "engine/local/local_launch.h"
#include "engine/local/paths.h"
#include "engine/test_support.h"

namespace ty::engine::testing {

using model::Outcome;

/// A local engine with the process runtime on a folder of its own, and tasks to give it.
class ProcessTasks : public ::testing::Test {
 protected:
  ProcessTasks() { open(); }

  void open() {
    inbox_ = std::make_unique<Inbox>();
    LocalOptions options;
    options.data_dir = dir_.path();
    auto opened = LocalEngine::open(std::move(options), inbox_->sink());
    TY_CHECK(opened, "the engine opens on every machine that runs the tests");
    engine_ = *std::move(opened);
  }

  static model::TaskKey new_key() {
    model::TaskKey key;
    key.job = random_job_id();
    return key;
  }

  LocalLaunch launch(const model::TaskKey& key, std::string script) const {
    LocalLaunch launch;
    launch.key = key;
    launch.run_dir = run_folder(dir_.path(), key);
    launch.log_path = log_path(key);
    launch.host_name = "worker-0";
    launch.command.shell = model::Shell::BashOrSh;
    launch.command.script = std::move(script);
    launch.command.errexit = true;
    launch.resources.cpu_milli = 2000;
    launch.resources.memory = 512 << 20;
    launch.resources.shm = 64 << 20;
    return launch;
  }
  std::string log_path(const model::TaskKey& key) const {
    return dir_.path() + "/logs/" + key.job.str() + ".log";
  }
  std::string log(const model::TaskKey& key) const { return read_text(log_path(key)); }

  /// Runs it to its end.
  TaskReport run(LocalLaunch launch) {
    const model::TaskKey key = launch.key;
    const auto started = await(engine_->start(std::move(launch)));
    EXPECT_TRUE(started) << (started ? "" : started.error().message.text());
    const auto ended = inbox_->ended(key);
    EXPECT_TRUE(ended) << "it never ended; so far: " << log(key);
    return ended.value_or(TaskReport{});
  }
  /// Runs the script, expects success and returns what it printed.
  std::string output_of(LocalLaunch launch) {
    const model::TaskKey key = launch.key;
    const TaskReport report = run(std::move(launch));
    EXPECT_EQ(report.ending.outcome, Outcome::Succeeded) << report.ending.message << "\n"
                                                         << log(key);
    return log(key);
  }
  std::string output_of(std::string script) {
    return output_of(launch(new_key(), std::move(script)));
  }

  bool is_isolated() const { return engine_->capabilities().isolation; }
  bool has_limits() const { return engine_->capabilities().limits; }

  TempDir dir_;
  std::unique_ptr<Inbox> inbox_;
  std::unique_ptr<LocalEngine> engine_;
};

/// Processes of this machine whose command line holds the text.
inline int processes_with(std::string_view text) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::string line = read_text(entry.path() / "cmdline");
    std::replace(line.begin(), line.end(), '\0', ' ');
    if (line.find(text) != std::string::npos) ++count;
  }
  return count;
}

inline int open_descriptors() {
  int count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd"))
    ++count;
  return count;
}

}  // namespace ty::engine::testing
