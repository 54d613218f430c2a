#pragma once
#include <optional>
#include <vector>

#include "sched/impl/cluster.h"

/// Something tried out on a cluster and taken back: of thousands of nodes only those it touches are
/// remembered. While one lasts, whatever else takes something of the cluster puts it back itself.
namespace ty::sched {

class Trial {
 public:
  explicit Trial(Cluster& cluster) : cluster_(cluster) {}
  ~Trial() { back_to(0); }
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

  Cluster& cluster() { return cluster_; }
  void take(const Allocation& allocation, const TaskNeed& need) {
    before_.push_back(cluster_.snapshot(allocation.node));
    cluster_.take(allocation, need);
  }
  void give(const Allocation& allocation, const TaskNeed& need) {
    before_.push_back(cluster_.snapshot(allocation.node));
    cluster_.put_back(allocation, need);
  }
  /// Where it is now, to come back to.
  std::size_t mark() const { return before_.size(); }
  void back_to(std::size_t mark) {
    for (; before_.size() > mark; before_.pop_back()) cluster_.restore(before_.back());
  }

 private:
  Cluster& cluster_;
  std::vector<Cluster::Snapshot> before_;
};

}  // namespace ty::sched
