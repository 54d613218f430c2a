#pragma once
#include "model/job.h"

namespace ty::control {

/// One sentence about a job that is not waiting: what goes on, or how it ended.
Message line_about(const model::Job& job);

}  // namespace ty::control
