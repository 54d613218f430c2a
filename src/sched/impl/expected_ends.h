#pragma once
#include <set>
#include <utility>
#include <vector>

#include "base/time.h"

/// When those who run are expected to end, the first first. Kept from decision to decision: what is
/// expected of a job changes when it ends, is preempted, or is still there after all. Those
/// nothing is known of are expected to stay as long again as they have been there, at every
/// decision anew: of them only the beginning is kept.
namespace ty::sched {

class ExpectedEnds {
 public:
  using Moment = std::pair<Time, int>;  ///< when, and whose slot

  void set(int slot, Time at) { put(slot, {.at = at, .is_known = true}); }
  void guess(int slot, Time began) { put(slot, {.at = began, .is_known = false}); }
  void remove(int slot) {
    if (static_cast<std::size_t>(slot) >= by_slot_.size() || by_slot_[slot].at == Time::max())
      return;
    (by_slot_[slot].is_known ? known_ : guessed_).erase({by_slot_[slot].at, slot});
    by_slot_[slot] = {};
  }
  /// Slots of those who should have ended by now.
  std::vector<int> overdue(Time now) const {
    std::vector<int> slots;
    for (const auto& [at, slot] : known_) {
      if (at > now) break;
      slots.push_back(slot);
    }
    return slots;
  }
  /// By their end.
  const std::set<Moment>& known() const { return known_; }
  /// By their beginning: the last of them is expected to end first.
  const std::set<Moment>& guessed() const { return guessed_; }

 private:
  struct Entry {
    Time at = Time::max();  ///< not there
    bool is_known = true;
  };
  void put(int slot, Entry entry) {
    remove(slot);
    if (by_slot_.size() <= static_cast<std::size_t>(slot)) by_slot_.resize(slot + 1);
    by_slot_[slot] = entry;
    (entry.is_known ? known_ : guessed_).emplace(entry.at, slot);
  }

  std::set<Moment> known_;
  std::set<Moment> guessed_;
  std::vector<Entry> by_slot_;
};

}  // namespace ty::sched
