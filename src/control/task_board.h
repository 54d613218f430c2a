#pragma once
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/job.h"

namespace ty::control {

/// Which tries of which live jobs have begun and ended: what followers of logs must know and may
/// ask from any thread. The controller writes it; a job that is final is not on it (its history is
/// in the store).
class TaskBoard {
 public:
  struct Try {
    model::TaskKey key;
    bool ended = false;  ///< its last byte is in the log
  };
  struct JobTries {
    std::vector<Try> tries;  ///< in the order in which they began
  };

  /// Called after every change, without the lock: wakes followers of that try's log.
  explicit TaskBoard(std::function<void(const model::TaskKey&)> changed)
      : changed_(std::move(changed)) {}

  void open(const JobId& job);
  void began(const model::TaskKey& key);
  void ended(const model::TaskKey& key);
  void close(const JobId& job);

  /// Null once the job is final.
  std::optional<JobTries> find(const JobId& job) const;
  /// True for tries that are over and for jobs that are not on the board.
  bool has_ended(const model::TaskKey& key) const;

 private:
  std::function<void(const model::TaskKey&)> changed_;
  mutable std::mutex mutex_;
  std::unordered_map<JobId, JobTries> jobs_;
};

}  // namespace ty::control
