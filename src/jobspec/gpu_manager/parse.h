#pragma once
#include "jobspec/impl/params.h"
#include "jobspec/impl/report.h"
#include "jobspec/impl/tree.h"
#include "jobspec/read.h"

namespace ty::jobspec::gpu_manager {

/// The GPU manager's job.yaml (job-model §4.4): a thin face over Volcano. What is returned is only
/// good if `report` got no error.
model::JobSpec parse(Ref document, const ReadOptions& options, Params& params, Report& report);

}  // namespace ty::jobspec::gpu_manager
