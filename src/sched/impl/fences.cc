#include "sched/impl/fences.h"

#include <algorithm>

namespace ty::sched {

bool Fence::binds(const Asker& asker) const {
  if (reservation != nullptr) {
    const auto& r = *reservation;
    if (std::ranges::find(r.workspaces, asker.workspace) != r.workspaces.end()) return false;
    if (std::ranges::find(r.users, asker.owner) != r.users.end()) return false;
    return asker.ends_surely > at;  // a promise to people: habits of similar jobs do not count
  }
  if (asker.preemptible && asker.priority < for_priority) return false;
  return std::min(asker.ends_surely, asker.ends_likely) > at;
}

void Fences::reset(int nodes) {
  for (int n : touched_) by_node_[n].clear();
  touched_.clear();
  by_node_.resize(nodes);
  fenced_ = 0;
}

void Fences::add(int node, Fence fence) {
  by_node_[node].push_back(fence);
  touched_.push_back(node);
  ++fenced_;
}

std::vector<Time> Fences::times() const {
  std::vector<Time> times;
  for (int n : touched_) {
    for (const auto& fence : by_node_[n]) times.push_back(fence.at);
  }
  std::ranges::sort(times);
  times.erase(std::ranges::unique(times).begin(), times.end());
  return times;
}

Amount Fences::room(int node, const Amount& free, const Asker& asker) const {
  Amount kept;
  for (const auto& fence : by_node_[node]) {
    if (!fence.binds(asker)) continue;
    // Two blocked jobs may count on the same pieces one after the other; each is kept what it
    // needs.
    kept.cpu_milli = std::max(kept.cpu_milli, fence.keep.cpu_milli);
    kept.memory = std::max(kept.memory, fence.keep.memory);
    kept.gpus = std::max(kept.gpus, fence.keep.gpus);
  }
  return free - kept;
}

void Fences::took(int node, const Amount& amount, const Asker& asker) {
  for (auto& fence : by_node_[node]) {
    if (fence.binds(asker)) continue;
    fence.keep.cpu_milli = std::max<std::int64_t>(0, fence.keep.cpu_milli - amount.cpu_milli);
    fence.keep.memory = std::max<std::int64_t>(0, fence.keep.memory - amount.memory);
    fence.keep.gpus = std::max<std::int64_t>(0, fence.keep.gpus - amount.gpus);
  }
}

}  // namespace ty::sched
