#pragma once
#include "jobspec/impl/params.h"
#include "jobspec/impl/report.h"
#include "jobspec/impl/tree.h"
#include "jobspec/read.h"

namespace ty::jobspec::pumpkin {

/// A train job of Pumpkin (job-model §4.6): what its page sends when one
/// presses the button. What is returned is only good if `report` got no error.
model::JobSpec parse(Ref document, const ReadOptions& options, Params& params, Report& report);

}  // namespace ty::jobspec::pumpkin
