#pragma once
#include <string>

#include "model/job.h"

namespace ty::control {

/// One line about a job that is not waiting: what goes on, or how it ended.
std::string line_about(const model::Job& job);

}  // namespace ty::control
