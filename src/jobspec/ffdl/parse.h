#pragma once
#include "jobspec/impl/params.h"
#include "jobspec/impl/report.h"
#include "jobspec/impl/tree.h"
#include "jobspec/read.h"

namespace ty::jobspec::ffdl {

/// A manifest of FfDL, or of Prophecis, which added keys and rules to it (job-model §4.3). What is
/// returned is only good if `report` got no error.
model::JobSpec parse(Ref document, const ReadOptions& options, Params& params, Report& report);

}  // namespace ty::jobspec::ffdl
