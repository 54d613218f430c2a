#pragma once
#include <string>
#include <string_view>

#include "model/environment.h"

/// Kubernetes' `$(NAME)` inside variables and arguments: jobs written for it rely on them.
namespace ty::model {

/// Whether texts of such a job hold references.
bool has_references(Dialect dialect);

/// The command with the references of its words replaced from the task's variables. Scripts stay:
/// there `$(…)` is the shell's.
Command resolve_references(Command command, const TaskEnvironment& environment);

}  // namespace ty::model
