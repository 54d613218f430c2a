#pragma once
#include <cstdint>
#include <vector>

#include "base/time.h"
#include "sched/impl/amount.h"
#include "sched/world.h"

/// What is reserved on each node: for the planned start of a blocked job, or by a reservation that
/// an administrator made in advance.
namespace ty::sched {

/// Who wants to start, as far as reservations care.
struct Requester {
  WorkspaceId workspace;
  UserId owner;
  std::int64_t priority = 0;
  bool preemptible = false;
  Time ends_surely = Time::max();  ///< by its time limit
  Time ends_likely = Time::max();  ///< by what such jobs usually take
};

/// From `at` on, `keep` of the node is needed by someone else. Whoever ends before may use it
/// meanwhile.
struct NodeReservation {
  Time at{};
  Amount keep;
  const Reservation* advance = nullptr;  ///< null: for a planned start
  std::int64_t for_priority =
      0;  ///< of that job: preemptible ones below may be there, they can be preempted
  bool applies_to(const Requester& requester) const;
};

class NodeReservations {
 public:
  void reset(int nodes);
  void add(int node, NodeReservation reservation);
  bool empty() const { return count_ == 0; }

  /// What of `free` the asker may take on the node.
  Amount room(int node, const Amount& free, const Requester& requester) const;
  /// The asker took `amount`: where it ends in time, so much less has to stay free until then.
  void allocated(int node, const Amount& amount, const Requester& requester);

  /// When reservations begin, each moment once, ascending.
  std::vector<Time> times() const;
  const std::vector<NodeReservation>& on(int node) const { return by_node_[node]; }

 private:
  std::vector<std::vector<NodeReservation>> by_node_;
  std::vector<int> touched_;
  int count_ = 0;
};

}  // namespace ty::sched
