#pragma once
#include "failure.h"
#include "launch.h"

namespace ty::supervisor {

/// Whether the folders that were mounted into the container are those that the server meant. It
/// named them by path, and others can change what lies there until the container has them: each
/// must be the root of a mount of its own with the very number that the server saw. Before the
/// command runs; nobody has seen a wrong one then.
bool check_mounts(const Launch& launch, Failure& failure);

}  // namespace ty::supervisor
