#include "control/task_board.h"

#include <algorithm>

namespace ty::control {

namespace {
constexpr std::chrono::seconds kLinger{10};
}  // namespace

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
  std::vector<Try> tries;
  {
    const std::lock_guard lock(mutex_);
    const Moment now = std::chrono::steady_clock::now();
    for (; !closed_.empty() && now - closed_.front().first > kLinger; closed_.pop_front()) {
      jobs_.erase(closed_.front().second);
    }
    const auto at = jobs_.find(job);
    if (at == jobs_.end() || at->second.closed) return;
    at->second.closed = true;
    for (Try& one : at->second.tries) one.ended = true;
    closed_.emplace_back(now, job);
    tries = at->second.tries;
  }
  for (const Try& one : tries) changed_(one.key);
}

std::optional<TaskBoard::JobTries> TaskBoard::find(const JobId& job) const {
  const std::lock_guard lock(mutex_);
  const auto at = jobs_.find(job);
  return at == jobs_.end() ? std::nullopt : std::optional(at->second);
}

bool TaskBoard::has_ended(const model::TaskKey& key) const {
  const std::lock_guard lock(mutex_);
  const auto job = jobs_.find(key.job);
  if (job == jobs_.end() || job->second.closed) return true;
  const auto found = std::ranges::find(job->second.tries, key, &Try::key);
  return found != job->second.tries.end() && found->ended;
}

}  // namespace ty::control
