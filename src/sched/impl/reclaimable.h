#pragma once
#include <cstdint>
#include <map>
#include <vector>

#include "sched/impl/cluster.h"

/// GPUs per node that preemption could reclaim. It answers at once whether preemption could help at
/// all, so that a blocked job does not have every running one looked at in each cycle. What it
/// answered is kept, and of that only nodes on which something happened since are looked at again.
namespace ty::sched {

class Reclaimable {
 public:
  /// Free GPUs of every open node with those held by jobs of at most some priority.
  class Room {
   public:
    std::int64_t on(int node) const { return gpus_[node]; }
    /// How many tasks with `each` GPUs find room on the nodes of a class.
    std::int64_t tasks(int klass, std::int64_t each) const;

   private:
    friend class Reclaimable;
    void set(int node, int klass, std::int32_t gpus);
    std::vector<std::int32_t> gpus_;
    std::vector<std::int64_t> nodes_;  ///< how many, by class and GPUs
    std::size_t width_ = 1;
    std::uint64_t site_ = 0;
    std::uint64_t seen_ = 0;  ///< so much of the log
  };

  void add(std::int64_t priority, int node, std::int64_t gpus);
  void remove(std::int64_t priority, int node, std::int64_t gpus) { add(priority, node, -gpus); }
  /// Something else became free on the node, or was taken.
  void touch(int node);

  const Room& room(const Cluster& cluster, std::int64_t priority) const;

 private:
  static constexpr std::size_t kRooms = 16;
  static constexpr std::size_t kLog = 4096;
  void fill(Room& room, const Cluster& cluster, std::int64_t priority) const;
  std::int32_t count(const Cluster& cluster, std::int64_t priority, int node) const;

  std::map<std::int64_t, std::vector<std::int32_t>> by_priority_;  ///< per node
  mutable std::map<std::int64_t, Room> rooms_;                     ///< by priority
  std::vector<int> log_;         ///< nodes on which something happened, in order
  std::uint64_t forgotten_ = 1;  ///< so much of the log is no longer kept
};

}  // namespace ty::sched
