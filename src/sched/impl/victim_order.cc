#include "sched/impl/victim_order.h"

#include <utility>

namespace ty::sched {

void VictimOrder::add(const RunningJob& job, int slot, const Policy& policy, Time now) {
  remove(slot);
  Entry entry;
  const bool service = policy.order == Order::Service;
  entry.key = {job.priority,
               service_level(policy, job.gpus, job.ran(now)),
               service ? job.queued_at : job.since,
               slot};
  keys_.insert(entry.key);
  if (service) {
    entry.leaves_level = now + (level_ends(policy, job.gpus, entry.key.level) - job.ran(now));
    changes_[entry.key.level].emplace(entry.leaves_level, slot);
  }
  if (by_slot_.size() <= static_cast<std::size_t>(slot)) by_slot_.resize(slot + 1);
  by_slot_[slot] = entry;
}

void VictimOrder::remove(int slot) {
  if (key_of(slot) == nullptr) return;
  const Entry entry = *std::exchange(by_slot_[slot], std::nullopt);
  keys_.erase(entry.key);
  if (auto level = changes_.find(entry.key.level); level != changes_.end()) {
    level->second.erase({entry.leaves_level, slot});
    if (level->second.empty()) changes_.erase(level);
  }
}

void VictimOrder::advance(const Running& running, const Policy& policy, Time now) {
  std::vector<int> due;
  for (const auto& [level, leaving] : changes_) {
    for (const auto& [at, slot] : leaving) {
      if (at > now) break;
      due.push_back(slot);
    }
  }
  for (int slot : due) add(running.at(slot), slot, policy, now);
}

std::optional<Time> VictimOrder::next_change(int level) const {
  std::optional<Time> first;
  for (const auto& [l, leaving] : changes_) {
    if (l > level) break;
    if (!first || leaving.begin()->first < *first) first = leaving.begin()->first;
  }
  return first;
}

}  // namespace ty::sched
