#pragma once
#include <string>

#include "model/job_spec.h"

namespace ty::jobspec {

/// A role's command as one bash script for formats that run a script without options: the flags,
/// arguments, steps and role variables it needs are written as lines of it. Empty for a role that
/// runs its image's own command.
std::string as_script(const model::RoleSpec& role, const model::Command& plain);

}  // namespace ty::jobspec
