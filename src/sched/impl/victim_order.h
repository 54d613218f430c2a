#pragma once
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "sched/impl/running.h"
#include "sched/impl/service.h"

/// Running jobs that may be preempted, the first victim first: lowest priority, then most
/// service had, then the last to come; where service does not count, the last to start, whose stop
/// loses the least.
namespace ty::sched {

class VictimOrder {
 public:
  struct Key {
    std::int64_t priority = 0;
    int level = 0;
    Time came{};  ///< queued, or where service does not count, started
    int slot = 0;
    bool operator<(const Key& o) const {
      return std::tuple(priority, -level, -came.time_since_epoch().count(), slot) <
             std::tuple(o.priority, -o.level, -o.came.time_since_epoch().count(), o.slot);
    }
  };

  void add(const RunningJob& job, int slot, const Policy& policy, Time now);
  void remove(int slot);
  /// Jobs that had enough service to leave their level by now do.
  void advance(const Running& running, const Policy& policy, Time now);
  /// When one of those at most on `level` leaves it.
  std::optional<Time> next_change(int level) const;

  bool empty() const { return keys_.empty(); }
  /// Null for one who may not be preempted.
  const Key* key_of(int slot) const {
    const auto at = static_cast<std::size_t>(slot);
    return at < by_slot_.size() && by_slot_[at] ? &by_slot_[at]->key : nullptr;
  }
  const std::set<Key>& in_order() const { return keys_; }

 private:
  struct Entry {
    Key key;
    Time leaves_level = Time::max();
  };
  std::set<Key> keys_;
  std::vector<std::optional<Entry>> by_slot_;
  std::map<int, std::set<std::pair<Time, int>>> changes_;  ///< by level: when it is left, by whom
};

}  // namespace ty::sched
