#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ty::engine {

/// Where tasks' cgroups are made on this machine: one folder of ours in each hierarchy that limits
/// memory, CPU or processes, version 2 where it has those controllers, else version 1.
class CgroupTree {
 public:
  struct Hierarchy {
    std::string key;     ///< of the launch file: `cgroup2`, `cgroup1_memory` …
    std::string folder;  ///< ours, e.g. /sys/fs/cgroup/memory/trainyard-1a2b3c4d
  };

  /// Finds the hierarchies and makes our folder in each; those where that fails are left out. Our
  /// folders weigh as much as the CPUs that tasks may use: without that, all tasks together would
  /// get no more of a busy machine than one process of somebody else's.
  static CgroupTree open(std::string_view name, std::int64_t cpu_milli);

  const std::vector<Hierarchy>& hierarchies() const { return hierarchies_; }
  /// Kills what may still be in the groups of one task and removes them.
  void remove(std::string_view task) const;
  /// Names of all groups that exist.
  std::vector<std::string> tasks() const;
  /// Our own folders, if nothing is in them.
  void remove_own() const;

 private:
  std::vector<Hierarchy> hierarchies_;
};

}  // namespace ty::engine
