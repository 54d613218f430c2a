#pragma once
#include <cstdint>
#include <mutex>
#include <unordered_map>

#include "base/ids.h"

namespace ty::control {

/// How many jobs of each person wait, or are paused: counted when one is stored and whenever its
/// state changes, so that a submit asks without looking at the jobs. Any thread.
class WaitingJobs {
 public:
  void add(UserId owner) {
    const std::lock_guard lock(mutex_);
    ++counts_[owner.value];
  }
  void remove(UserId owner) {
    const std::lock_guard lock(mutex_);
    const auto at = counts_.find(owner.value);
    if (at != counts_.end() && --at->second <= 0) counts_.erase(at);
  }
  std::int64_t of(UserId owner) const {
    const std::lock_guard lock(mutex_);
    const auto at = counts_.find(owner.value);
    return at == counts_.end() ? 0 : at->second;
  }

 private:
  mutable std::mutex mutex_;
  std::unordered_map<std::int64_t, std::int64_t> counts_;
};

}  // namespace ty::control
