#pragma once
#include <cstdint>

#include "launch.h"

namespace ty::supervisor {

/// The cgroups of one task, version 2 or version 1 with its several hierarchies. The supervisor
/// makes them and stays outside, so that the task's memory limit can never end the one who has to
/// tell about it.
class Cgroup {
 public:
  /// Makes the folders and sets the limits. Each limit that could not be set is told to `warn`.
  void create(const Launch& launch, void (*warn)(void* context, const char* text), void* context);

  /// Instead, inside a container: its limits are set already, its figures are below /sys/fs/cgroup.
  void find_own();

  /// For clone3(CLONE_INTO_CGROUP); -1 without version 2.
  int clone_fd() const { return clone_fd_; }
  /// In the task's process, after clone: joins what clone did not.
  void enter() const;

  bool limits_memory() const { return limits_memory_; }

  struct Usage {
    std::int64_t oom_kills = 0;
    std::int64_t peak = 0;     ///< bytes; 0 unknown
    std::int64_t cpu_ms = -1;  ///< -1 unknown
  };
  Usage usage() const;
  /// SIGKILL to everything inside; for tasks without a pid namespace.
  void kill_all() const;
  /// All processes must be gone.
  void remove() const;

 private:
  static constexpr int kHierarchies = 5;
  int add(const char* dir);

  const char* dirs_[kHierarchies] = {};
  int task_fds_[kHierarchies] = {-1, -1, -1, -1, -1};
  int count_ = 0;
  const char* memory2_ = nullptr;
  const char* memory1_ = nullptr;
  const char* cpu2_ = nullptr;
  const char* cpuacct1_ = nullptr;
  int clone_fd_ = -1;
  bool limits_memory_ = false;
};

}  // namespace ty::supervisor
