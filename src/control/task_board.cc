#include "control/task_board.h"

#include <algorithm>

namespace ty::control {

void TaskBoard::open(const JobId& job) {
  const std::lock_guard lock(mutex_);
  jobs_.try_emplace(job);
}

void TaskBoard::began(const model::TaskKey& key) {
  {
    const std::lock_guard lock(mutex_);
    auto& tries = jobs_[key.job].tries;
    if (std::ranges::find(tries, key, &Try::key) == tries.end()) tries.push_back({.key = key});
  }
  changed_(key);
}

void TaskBoard::ended(const model::TaskKey& key) {
  {
    const std::lock_guard lock(mutex_);
    const auto job = jobs_.find(key.job);
    if (job == jobs_.end()) return;
    const auto found = std::ranges::find(job->second.tries, key, &Try::key);
    if (found != job->second.tries.end()) found->ended = true;
  }
  changed_(key);
}

void TaskBoard::close(const JobId& job) {
  JobTries last;
  {
    const std::lock_guard lock(mutex_);
    const auto at = jobs_.find(job);
    if (at == jobs_.end()) return;
    last = std::move(at->second);
    jobs_.erase(at);
  }
  for (const Try& one : last.tries) changed_(one.key);
}

std::optional<TaskBoard::JobTries> TaskBoard::find(const JobId& job) const {
  const std::lock_guard lock(mutex_);
  const auto at = jobs_.find(job);
  return at == jobs_.end() ? std::nullopt : std::optional(at->second);
}

bool TaskBoard::has_ended(const model::TaskKey& key) const {
  const std::lock_guard lock(mutex_);
  const auto job = jobs_.find(key.job);
  if (job == jobs_.end()) return true;
  const auto found = std::ranges::find(job->second.tries, key, &Try::key);
  return found != job->second.tries.end() && found->ended;
}

}  // namespace ty::control
