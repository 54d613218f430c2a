#pragma once
#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "engine/local/usage/cgroup_mounts.h"
#include "model/task_usage.h"

namespace ty::engine {

/// Reads what a task uses from the files of its cgroups, version 1, 2 or a mixture of both: about a
/// tenth of a millisecond, where asking Docker takes a second. Safe to call from any thread.
class UsageReader {
 public:
  /// A group of one hierarchy; no folder: that controller is not to be had.
  struct Group {
    std::string folder;
    bool is_v2 = false;
  };

  /// The cgroups and the network of a process that is in the task's cgroups itself, as the first
  /// process of a container is.
  static UsageReader of_process(pid_t pid);
  /// `cgroups` is the text of /proc/PID/cgroup.
  static UsageReader of_groups(const std::vector<CgroupMount>& mounts, std::string_view cgroups);

  /// Without `at`. Everything is missing once the task is gone.
  model::TaskUsage read() const;

  Group cpu;  ///< with version 1 that of `cpuacct`
  Group memory;
  Group processes;
  Group disk;
  std::string network;  ///< a file like /proc/net/dev; empty: not its own
};

}  // namespace ty::engine
