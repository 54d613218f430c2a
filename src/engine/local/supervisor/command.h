#pragma once
#include <sys/types.h>

#include "cgroup.h"
#include "failure.h"
#include "launch.h"

namespace ty::supervisor {

/// A task's command, started. `status` ends without a byte once the command runs, or delivers a
/// Failure; poll it, because preparing the sandbox may wait on a slow disk.
struct Command {
  pid_t pid = -1;
  int output = -1;  ///< what it writes to stdout and stderr; does not block
  int status = -1;
};

/// False with `failure` set when not even a process could be made.
bool start_command(const Launch& launch, const Cgroup& cgroup, Command& command, Failure& failure);

}  // namespace ty::supervisor
