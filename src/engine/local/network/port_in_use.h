#pragma once
#include <optional>

#include "model/job.h"

namespace ty::engine {

/// A port of the machine's own network that was given to a task and that something else listens
/// on.
std::optional<int> port_in_use(const model::Placement& placement);

}  // namespace ty::engine
