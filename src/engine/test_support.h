#pragma once
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "engine/addresses.h"
#include "engine/engine.h"

/// What tests of engines share. Only for tests.
namespace ty::engine::testing {

inline constexpr auto kPatience = 120s;  // for busy machines; nobody waits for it otherwise

inline bool has_code(const std::vector<Message>& messages, std::string_view code) {
  return std::ranges::find(messages, code, &Message::code) != messages.end();
}

/// Runs one awaitable to its end on this thread.
template <class T>
T await(boost::asio::awaitable<T> work) {
  boost::asio::io_context io;
  std::optional<T> result;
  auto keep = [](boost::asio::awaitable<T> inner,
                 std::optional<T>& out) -> boost::asio::awaitable<void> {
    out.emplace(co_await std::move(inner));
  };
  boost::asio::co_spawn(io, keep(std::move(work), result), [](std::exception_ptr thrown) {
    if (thrown) std::rethrow_exception(thrown);
  });
  io.run();
  return std::move(*result);
}

template <class Condition>
bool eventually(Condition condition) {
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(2ms);
  }
  return true;
}

/// Where an engine's reports arrive.
class Inbox {
 public:
  ReportSink sink() {
    return [this](TaskReport report) {
      const std::lock_guard lock(mutex_);
      reports_.push_back(std::move(report));
      arrived_.notify_all();
    };
  }
  std::vector<TaskReport> all(const model::TaskKey& key) const {
    const std::lock_guard lock(mutex_);
    std::vector<TaskReport> found;
    for (const TaskReport& report : reports_) {
      if (report.key == key) found.push_back(report);
    }
    return found;
  }
  std::optional<TaskReport> wait(const model::TaskKey& key, TaskReport::What what) {
    std::unique_lock lock(mutex_);
    std::optional<TaskReport> found;
    const auto is_there = [&] {
      for (const TaskReport& report : reports_) {
        if (report.key == key && report.what == what) found = report;
      }
      return found.has_value();
    };
    arrived_.wait_for(lock, kPatience, is_there);
    return found;
  }
  std::optional<TaskReport> started(const model::TaskKey& key) {
    return wait(key, TaskReport::What::Started);
  }
  std::optional<TaskReport> ended(const model::TaskKey& key) {
    return wait(key, TaskReport::What::Ended);
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<TaskReport> reports_;
};

/// A folder of its own, gone afterwards.
class TempDir {
 public:
  TempDir() {
    std::string pattern = std::filesystem::temp_directory_path() / "ty-engine-XXXXXX";
    path_ = ::mkdtemp(pattern.data());
  }
  ~TempDir() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// One task as the platform would launch it: of a job with one role, placed by the engine on `n1`,
/// whose tasks run this command.
inline Launch one_task(const model::TaskKey& key, model::Command command, Addresses& addresses) {
  auto spec = std::make_shared<model::JobSpec>();
  spec->name = "suite";
  model::RoleSpec& role = spec->roles.emplace_back();
  role.name = "worker";
  role.count = key.task.index + 1;
  role.command = command;
  role.resources.cpu_milli = 1000;
  role.resources.memory = 256 << 20;
  auto attempt = std::make_shared<Attempt>();
  attempt->job.id = key.job;
  attempt->job.owner_name = "ann";
  attempt->job.life.attempt = key.attempt;
  for (int i = 0; i <= key.task.index; ++i) {
    model::Task& task = attempt->job.life.tasks.emplace_back();
    task.ref = {.role = 0, .index = i};
    task.tries = key.tries;
    task.placement = addresses.settle(*spec, task.ref, {.node = "n1"});
  }
  attempt->gang = {key.task};
  attempt->spec = std::move(spec);
  Launch launch;
  launch.key = key;
  launch.attempt = std::move(attempt);
  launch.command = std::move(command);
  return launch;
}

inline std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

inline void write_text(const std::string& path, std::string_view text) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

}  // namespace ty::engine::testing
