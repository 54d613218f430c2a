#pragma once
#include <string_view>
#include <vector>

#include "jobspec/impl/params.h"
#include "jobspec/impl/report.h"
#include "jobspec/impl/tree.h"
#include "jobspec/read.h"

namespace ty::jobspec::openpai_v2 {

/// A job of OpenPAI's protocol 2 (job-model §4.2). `-p name=value` replaces a value of
/// `parameters`. What is returned is only good if `report` got no error.
model::JobSpec parse(Ref document, const ReadOptions& options, Params& params, Report& report);

/// The keys of the whole document.
std::vector<std::string_view> keys();

}  // namespace ty::jobspec::openpai_v2
