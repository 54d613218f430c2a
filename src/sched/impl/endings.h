#pragma once
#include <set>
#include <vector>

#include "base/time.h"

/// When those who run are expected to end, the first first. Kept from decision to decision: what is
/// expected of a job changes when it ends, is asked to leave, or is still there after all.
namespace ty::sched {

class Endings {
 public:
  void set(int slot, Time at) {
    remove(slot);
    if (by_slot_.size() <= static_cast<std::size_t>(slot)) by_slot_.resize(slot + 1, Time::max());
    by_slot_[slot] = at;
    order_.emplace(at, slot);
  }
  void remove(int slot) {
    if (static_cast<std::size_t>(slot) >= by_slot_.size() || by_slot_[slot] == Time::max()) return;
    order_.erase({by_slot_[slot], slot});
    by_slot_[slot] = Time::max();
  }
  /// Slots of those who should have ended by now.
  std::vector<int> overdue(Time now) const {
    std::vector<int> slots;
    for (const auto& [at, slot] : order_) {
      if (at > now) break;
      slots.push_back(slot);
    }
    return slots;
  }
  const std::set<std::pair<Time, int>>& in_order() const { return order_; }

 private:
  std::set<std::pair<Time, int>> order_;
  std::vector<Time> by_slot_;  ///< Time::max(): not there
};

}  // namespace ty::sched
