#pragma once
#include <string>

#include "jobspec/impl/notes.h"
#include "model/job_spec.h"

namespace ty::jobspec::openpai_v2 {

/// YAML in the order of the protocol. `carried` goes to `extras.trainyard`; values of secrets are
/// written as `******`.
std::string print(const model::JobSpec& spec, const std::string& carried, Notes& notes);

}  // namespace ty::jobspec::openpai_v2
