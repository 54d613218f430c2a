#pragma once
#include <chrono>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/job.h"

namespace ty::control {

/// Which tries of which live jobs have begun and ended: what followers of logs must know and may
/// ask from any thread. The controller writes it. A job that became final stays some seconds, so
/// that whoever follows it sees its end; then only the store knows it.
class TaskBoard {
 public:
  struct Try {
    model::TaskKey key;
    bool ended = false;  ///< its last byte is in the log
  };
  struct JobTries {
    std::vector<Try> tries;  ///< in the order in which they began; after a restart without those
                             ///< that had ended before
    bool closed = false;     ///< no further ones will come
  };

  /// `changed` is called after every change of a try, without the lock: it wakes followers of that
  /// try's log.
  explicit TaskBoard(std::function<void(const model::TaskKey&)> changed)
      : changed_(std::move(changed)) {}

  void open(const JobId& job);
  void began(const model::TaskKey& key);
  void ended(const model::TaskKey& key);
  void close(const JobId& job);

  /// Null once the job has been final for a while.
  std::optional<JobTries> find(const JobId& job) const;
  /// True for tries that are over and for jobs that are not on the board any more.
  bool has_ended(const model::TaskKey& key) const;

 private:
  using Moment = std::chrono::steady_clock::time_point;

  std::function<void(const model::TaskKey&)> changed_;
  mutable std::mutex mutex_;
  std::unordered_map<JobId, JobTries> jobs_;
  std::deque<std::pair<Moment, JobId>> closed_;
};

}  // namespace ty::control
