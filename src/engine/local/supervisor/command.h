#pragma once
#include <sys/types.h>

#include "cgroup.h"
#include "failure.h"
#include "launch.h"

namespace ty::supervisor {

/// A task's command, running.
struct Command {
  pid_t pid = -1;
  int output = -1;  ///< what it writes to stdout and stderr; does not block
};

/// Prepares the sandbox and starts the command in it. True once the command itself runs; false with
/// `failure` set when it never did (`command.pid` may still have to be reaped).
///
/// Waits while the task's process prepares itself. That can be long only where a mount hangs, and
/// then nothing of the task runs that would have to be stopped: the server ends us in that case.
bool start_command(const Launch& launch, const Cgroup& cgroup, Command& command, Failure& failure);

}  // namespace ty::supervisor
