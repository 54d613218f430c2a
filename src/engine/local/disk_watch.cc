#include "engine/local/disk_watch.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <fstream>
#include <map>

#include "base/fd.h"
#include "engine/local/mounts/tree.h"
#include "engine/local/paths.h"
#include "engine/local/process/run_folder.h"
#include "engine/messages.h"
#include "model/failure.h"

namespace ty::engine {
namespace {

using Steady = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kLeastPause{3000};

std::int64_t size_of(const std::string& folder, std::int64_t enough) {
  const Fd fd(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  return fd ? size_of_tree(fd.get(), enough).on_disk : 0;
}

}  // namespace

DiskWatch::DiskWatch(Parts parts) : p_(std::move(parts)) {
  if (p_.limit > 0) thread_ = std::thread([this] { run(); });
}

DiskWatch::~DiskWatch() {
  {
    const std::lock_guard lock(mutex_);
    is_closing_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void DiskWatch::run() {
  std::chrono::milliseconds pause = kLeastPause;
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, pause, [this] { return is_closing_; })) {
    lock.unlock();
    const auto begin = Steady::now();
    look();
    const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(Steady::now() - begin);
    pause = std::max(kLeastPause, took * 20);
    lock.lock();
  }
}

void DiskWatch::look() {
  std::map<JobId, std::vector<Task>> jobs;
  for (Task& task : p_.running()) jobs[task.key.job].push_back(std::move(task));
  for (const auto& [job, tasks] : jobs) {
    // Holes make files seem large; only what is on the disk counts, and what seems huge is sparse.
    std::int64_t used = size_of(output_folder(p_.data_dir, job), INT64_MAX);
    for (const Task& task : tasks) {
      used += size_of(task.run_dir, INT64_MAX);
      if (const std::string own = p_.own_files(task.key); !own.empty())
        used += size_of(own, INT64_MAX);
    }
    if (used <= p_.limit) continue;
    for (const Task& task : tasks) p_.over(task, used);
  }
}

void remember_over_limit(const std::string& run_dir, std::int64_t used, std::int64_t limit) {
  // On a full disk the task still ends, only without this reason.
  [[maybe_unused]] const auto written =
      replace_small_file(run_dir + kOverSuffix, fmt::format("{} {}\n", used, limit), 0600);
}

std::optional<model::Ending> over_limit(const std::string& run_dir) {
  std::ifstream file(run_dir + kOverSuffix);
  std::int64_t used = 0;
  std::int64_t limit = 0;
  if (!(file >> used >> limit)) return std::nullopt;
  return model::fault(
      model::Reason::OutputFailed, say::over_disk_limit({.used = used, .limit = limit}), true);
}

}  // namespace ty::engine
