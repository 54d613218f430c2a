#include "sched/impl/evictable.h"

namespace ty::sched {

void Evictable::add(const RunningJob& job, int slot, const Policy& policy, Time now) {
  remove(slot);
  Entry entry;
  entry.key = {job.priority, service_level(policy, job.gpus, job.ran(now)), job.since, slot};
  keys_.insert(entry.key);
  if (policy.order == Order::Service) {
    entry.leaves_level = now + (level_ends(policy, job.gpus, entry.key.level) - job.ran(now));
    changes_.emplace(entry.leaves_level, slot);
  }
  by_slot_.emplace(slot, entry);
}

void Evictable::remove(int slot) {
  auto entry = by_slot_.find(slot);
  if (entry == by_slot_.end()) return;
  keys_.erase(entry->second.key);
  changes_.erase({entry->second.leaves_level, slot});
  by_slot_.erase(entry);
}

void Evictable::advance(const Running& running, const Policy& policy, Time now) {
  while (!changes_.empty() && changes_.begin()->first <= now) {
    const int slot = changes_.begin()->second;
    add(running.at(slot), slot, policy, now);
  }
}

std::optional<Time> Evictable::next_change() const {
  if (changes_.empty()) return std::nullopt;
  return changes_.begin()->first;
}

}  // namespace ty::sched
