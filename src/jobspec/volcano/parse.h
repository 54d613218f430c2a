#pragma once
#include "jobspec/impl/params.h"
#include "jobspec/impl/report.h"
#include "jobspec/impl/tree.h"
#include "jobspec/read.h"

namespace ty::jobspec::volcano {

/// A Volcano Job (job-model §4.5) as one would give it to kubectl. The object is kept whole in
/// `JobSpec::kube`. What is returned is only good if `report` got no error.
model::JobSpec parse(Ref document, const ReadOptions& options, Params& params, Report& report);

}  // namespace ty::jobspec::volcano
