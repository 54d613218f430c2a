#pragma once
#include <string_view>
#include <vector>

#include "jobspec/impl/params.h"
#include "jobspec/impl/report.h"
#include "jobspec/impl/tree.h"
#include "jobspec/read.h"

namespace ty::jobspec::openpai_v1 {

/// A job of OpenPAI's first dialect (job-model §4.1), as its users write it: JSON with comments,
/// numbers as text when it came by a form. What is returned is only good if `report` got no error.
model::JobSpec parse(Ref document, const ReadOptions& options, Params& params, Report& report);

/// The keys of the whole document.
std::vector<std::string_view> keys();

}  // namespace ty::jobspec::openpai_v1
