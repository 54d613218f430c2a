#pragma once
#include <string_view>

#include "base/result.h"
#include "model/job_spec.h"

namespace ty::jobspec {

/// Whether a job written in `dialect` may be called so; for names that come from elsewhere than a
/// file.
Result<void> accept_job_name(std::string_view name, model::Dialect dialect);

}  // namespace ty::jobspec
