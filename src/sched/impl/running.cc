#include "sched/impl/running.h"

#include <algorithm>

namespace ty::sched {

RunningJob* Running::find(const JobId& id) {
  auto it = by_id_.find(id);
  return it == by_id_.end() ? nullptr : &*jobs_[it->second];
}

const RunningJob* Running::find(const JobId& id) const {
  auto it = by_id_.find(id);
  return it == by_id_.end() ? nullptr : &*jobs_[it->second];
}

RunningJob& Running::add(RunningJob job) {
  int slot = static_cast<int>(jobs_.size());
  if (auto known = by_id_.find(job.id); known != by_id_.end()) {
    slot = known->second;
  } else if (spare_.empty()) {
    jobs_.emplace_back();
  } else {
    slot = spare_.back();
    spare_.pop_back();
  }
  by_id_[job.id] = slot;
  jobs_[slot] = std::move(job);
  return *jobs_[slot];
}

void Running::add_task(RunningJob& job, RunningTask task) {
  const auto node = static_cast<std::size_t>(task.allocation.node);
  if (on_node_.size() <= node) on_node_.resize(node + 1);
  on_node_[node].push_back(slot_of(job.id));
  job.tasks.push_back(std::move(task));
}

std::optional<RunningTask> Running::remove_task(RunningJob& job, model::TaskRef task) {
  auto at = std::ranges::find(job.tasks, task, &RunningTask::task);
  if (at == job.tasks.end()) return std::nullopt;
  RunningTask was = std::move(*at);
  job.tasks.erase(at);
  auto& here = on_node_[was.allocation.node];
  here.erase(std::ranges::find(here, slot_of(job.id)));
  return was;
}

void Running::remove(const JobId& id) {
  auto it = by_id_.find(id);
  if (it == by_id_.end()) return;
  spare_.push_back(it->second);
  jobs_[it->second].reset();
  by_id_.erase(it);
}

std::vector<int> Running::slots() const {
  std::vector<int> slots;
  slots.reserve(by_id_.size());
  for (int i = 0; i < static_cast<int>(jobs_.size()); ++i) {
    if (jobs_[i]) slots.push_back(i);
  }
  return slots;
}

const std::vector<int>& Running::on_node(int node) const {
  static const std::vector<int> kNobody;
  return static_cast<std::size_t>(node) < on_node_.size() ? on_node_[node] : kNobody;
}

}  // namespace ty::sched
