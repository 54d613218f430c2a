#pragma once
#include <cstdint>
#include <vector>

#include "base/time.h"
#include "sched/impl/amount.h"
#include "sched/world.h"

/// What must stay free for others: for a blocked job that starts soon, or because of a reservation.
namespace ty::sched {

/// Who wants to start, as far as fences care.
struct Asker {
  WorkspaceId workspace;
  UserId owner;
  std::int64_t priority = 0;
  bool preemptible = false;
  Time ends_surely = Time::max();  ///< by its time limit
  Time ends_likely = Time::max();  ///< by what such jobs usually take
};

/// From `at` on, `keep` of the node is needed by someone else. Whoever ends before may use it
/// meanwhile.
struct Fence {
  Time at{};
  Amount keep;
  const Reservation* reservation = nullptr;  ///< null: kept for a blocked job
  std::int64_t for_priority =
      0;  ///< of that job: preemptible ones below pass, they can be moved away
  bool binds(const Asker& asker) const;
};

class Fences {
 public:
  void reset(int nodes);
  void add(int node, Fence fence);
  bool empty() const { return fenced_ == 0; }

  /// What of `free` the asker may take on the node.
  Amount room(int node, const Amount& free, const Asker& asker) const;
  /// The asker took `amount`: where it ends in time, so much less has to stay free until then.
  void took(int node, const Amount& amount, const Asker& asker);

  /// When fences begin, each moment once, ascending.
  std::vector<Time> times() const;
  const std::vector<Fence>& on(int node) const { return by_node_[node]; }

 private:
  std::vector<std::vector<Fence>> by_node_;
  std::vector<int> touched_;
  int fenced_ = 0;
};

}  // namespace ty::sched
