#pragma once
#include "failure.h"
#include "launch.h"

namespace ty::supervisor {

/// clone flags that give the task's process the namespaces of its sandbox (0 for none). Its pid
/// namespace is the supervisor's own: it was started as the first process of a new one.
unsigned long sandbox_flags(const Launch& launch);

/// In the task's process, inside its new namespaces: the machine's file system, not writable;
/// private scratch folders, /dev/shm, /proc and /dev; the server's data hidden except the run
/// folder; the task's mounts inside it.
bool enter_sandbox(const Launch& launch, Failure& failure);

/// In the task's process, last before the command: user, capabilities, no new privileges.
bool drop_privileges(const Launch& launch, Failure& failure);

}  // namespace ty::supervisor
