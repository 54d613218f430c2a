#pragma once
#include "jobspec/impl/params.h"
#include "jobspec/impl/report.h"
#include "jobspec/impl/tree.h"
#include "jobspec/read.h"

namespace ty::jobspec::native {

/// One document in the native dialect, checked. What is returned is only good if `report` got no
/// error.
model::JobSpec parse(Ref document, const ReadOptions& options, Params& params, Report& report);

}  // namespace ty::jobspec::native
