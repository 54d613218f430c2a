#pragma once
#include <bit>
#include <bitset>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "sched/impl/amount.h"
#include "sched/impl/shape.h"
#include "sched/world.h"

/// The machines and what of them is free.
namespace ty::sched {

/// More GPUs than any one machine has; devices beyond are not scheduled.
inline constexpr std::size_t kMaxGpus = 128;
using GpuSet = std::bitset<kMaxGpus>;

/// Nodes that differ in name and load only.
struct NodeClass {
  Amount capacity;
  model::TextMap labels;
  std::map<std::string, std::int64_t> devices;
  std::vector<std::pair<std::string, GpuSet>> types;  ///< healthy devices by type, sorted by name
  GpuSet gpus;                                        ///< all healthy devices
  std::vector<GpuSet> link_groups;  ///< healthy devices that talk fast to each other
};

/// What does not change while tasks come and go; shared by all copies of a Cluster.
struct Site {
  std::vector<std::string> names;
  std::vector<int> class_of;
  std::vector<char> present;  ///< the node exists and is healthy
  std::vector<char> open;     ///< and takes new tasks
  std::vector<NodeClass> classes;
  std::unordered_map<std::string, int> by_name;

  const NodeClass& klass(int node) const { return classes[class_of[node]]; }
};

/// What one task has of a node.
struct Allocation {
  int node = -1;
  int group = 0;  ///< of its shape
  GpuSet gpus;
  bool operator==(const Allocation&) const = default;
};

/// What is free where. A value: copy it to try something out.
class Cluster {
 public:
  Cluster();
  /// The new site keeps the indices of nodes known before (`Site::names` only grows), and what is
  /// taken stays taken.
  void set_site(std::shared_ptr<const Site> site);
  const Site& site() const { return *site_; }
  int nodes() const { return static_cast<int>(state_.size()); }

  Amount free(int node) const { return state_[node].free; }
  const GpuSet& free_gpus(int node) const { return state_[node].gpus; }
  bool ports_free(int node, const std::vector<int>& ports) const;
  bool devices_free(int node, const TaskNeed& need, int tasks) const;

  void take(const Allocation& allocation, const TaskNeed& need);
  void give(const Allocation& allocation, const TaskNeed& need);
  /// Undoes a `take` of just now: nothing became free by it.
  void put_back(const Allocation& allocation, const TaskNeed& need);
  /// A node as it is, to be made so again; only within one decision (trial.h).
  struct Snapshot;
  Snapshot snapshot(int node) const;
  void restore(Snapshot& before);

  /// Grows whenever something became free or the site changed: what did not fit before may fit now.
  std::uint64_t freed_version() const { return freed_version_; }
  /// The nodes where something became free since then, some perhaps twice; nothing when nobody
  /// knows any more.
  std::optional<std::span<const int>> freed_since(std::uint64_t then) const {
    if (then < forgotten_) return std::nullopt;
    return std::span(freed_nodes_).subspan(then - forgotten_);
  }
  /// Grows with every change that lasts; whoever keeps what it took says so by `settle`.
  std::uint64_t version() const { return version_; }
  void settle() { ++version_; }
  std::uint64_t site_version() const { return site_version_; }

  /// A copy with nothing in use and every present node open.
  Cluster emptied() const;
  /// Sums over open nodes.
  Amount capacity() const { return capacity_; }
  std::int64_t all_free_gpus() const { return free_gpus_; }
  int most_gpus() const { return static_cast<int>(index_width_) - 1; }

  /// Visits open nodes of `klass` with exactly `count` free GPUs in index order until `visit(node)`
  /// is true.
  template <class Visit>
  bool visit(int klass, int count, Visit&& visit) const {
    const auto* words = row(klass, count);
    for (std::size_t w = 0; w < words_; ++w) {
      for (auto bits = words[w]; bits != 0; bits &= bits - 1) {
        if (visit(static_cast<int>(w * 64) + std::countr_zero(bits))) return true;
      }
    }
    return false;
  }

 private:
  struct State {
    Amount used;
    GpuSet used_gpus;
    Amount free;  ///< capacity - used; `gpus` counts `gpus` below
    GpuSet gpus;  ///< healthy and not in use
  };
  /// What few tasks ask for; nodes where nobody does have none.
  struct Extras {
    std::vector<int> ports;  ///< in use, sorted
    std::map<std::string, std::int64_t> devices_used;
  };
  void refresh(int node);
  void reindex();
  void index(int node, std::int64_t free_gpus, bool present);
  std::uint64_t* row(int klass, int count) {
    return &index_[(klass * index_width_ + count) * words_];
  }
  const std::uint64_t* row(int klass, int count) const {
    return &index_[(klass * index_width_ + count) * words_];
  }

  std::shared_ptr<const Site> site_;
  std::vector<State> state_;
  std::map<int, Extras> extras_;
  Amount capacity_;
  std::int64_t free_gpus_ = 0;
  std::size_t words_ = 0, index_width_ = 1;
  std::vector<std::uint64_t> index_;  ///< bit sets of open nodes by class and number of free GPUs
  std::uint64_t freed_version_ = 1, version_ = 1, site_version_ = 1;
  std::vector<int>
      freed_nodes_;  ///< where something became free, for each step of `freed_version_`…
  std::uint64_t forgotten_ = 1;  ///< …after this one
};

struct Cluster::Snapshot {
  int node = -1;
  State state;
  std::unique_ptr<Extras> extras;
};

/// The site that `nodes` describe, with the indices of `before` kept.
std::shared_ptr<const Site> make_site(const std::vector<Node>& nodes, const Site& before);

/// The classes and GPU types that could run a task with this need, were they empty.
std::vector<Option> options_for(const TaskNeed& need, const Site& site);

}  // namespace ty::sched
