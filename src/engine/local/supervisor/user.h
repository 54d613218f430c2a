#pragma once
#include <cstdint>

#include "failure.h"
#include "launch.h"

namespace ty::supervisor {

/// Turns `launch.user` into numbers with the container's own /etc/passwd and /etc/group, as an
/// image means it, and gives the command the HOME of that user where nobody named another, and the
/// user what is to be their own. Without the C library's name services, which a static program
/// cannot load.
bool resolve_user(Launch& launch, Failure& failure);

}  // namespace ty::supervisor
