#pragma once
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "model/job.h"

namespace ty::engine {

/// Measures what running jobs have on the disk, outputs and run folders, and tells of those with
/// more than they may have. A quota of the file system would refuse the byte too many; this notices
/// it some seconds later, but works on every file system. A look costs as much as `du`, and no more
/// than a twentieth of the time is spent looking.
class DiskWatch {
 public:
  struct Task {
    model::TaskKey key;
    std::string run_dir;
  };
  struct Parts {
    std::string data_dir;
    std::int64_t limit = 0;  ///< bytes of one job; 0: nobody is watched
    std::function<std::vector<Task>()> running;
    /// Where else a task's files lie: what its container wrote; empty: nowhere.
    std::function<std::string(const model::TaskKey&)> own_files;
    std::function<void(const Task&, std::int64_t used)> over;
  };
  explicit DiskWatch(Parts parts);
  ~DiskWatch();
  DiskWatch(const DiskWatch&) = delete;
  DiskWatch& operator=(const DiskWatch&) = delete;

 private:
  void run();
  void look();

  const Parts p_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_closing_ = false;
  std::thread thread_;
};

/// Why a task was stopped that was over the limit, kept beside its run folder until it has ended:
/// also a server that begins in between says so then.
void remember_over_limit(const std::string& run_dir, std::int64_t used, std::int64_t limit);
std::optional<model::Ending> over_limit(const std::string& run_dir);

inline constexpr char kOverSuffix[] = ".over";

}  // namespace ty::engine
