#pragma once
#include <string>

#include "jobspec/impl/notes.h"
#include "model/job_spec.h"

namespace ty::jobspec::openpai_v1 {

/// JSON in the order of the manual. `carried` goes to `extras.trainyard`.
std::string print(const model::JobSpec& spec, const std::string& carried, Notes& notes);

}  // namespace ty::jobspec::openpai_v1
