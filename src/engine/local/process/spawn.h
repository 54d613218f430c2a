#pragma once
#include <sys/types.h>

#include <string>

#include "base/fd.h"
#include "base/result.h"

namespace ty::engine {

struct Spawned {
  pid_t pid = -1;
  Fd pidfd;  ///< readable once the process has ended
};

/// Starts the supervisor for a run folder, as cheaply as posix_spawn: no page of ours is copied.
/// With `own_pid_namespace` it is the first process of a new one, so that its death, however it
/// comes, is the death of everything it started. `notify` becomes its descriptor 3 (-1: none).
/// Signals that steer it are blocked from its first instruction on, so none is lost.
Result<Spawned> spawn_supervisor(const std::string& program,
                                 const std::string& run_dir,
                                 bool own_pid_namespace,
                                 int notify);

}  // namespace ty::engine
