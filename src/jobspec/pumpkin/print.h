#pragma once
#include <string>

#include "jobspec/impl/notes.h"
#include "model/job_spec.h"

namespace ty::jobspec::pumpkin {

/// See DialectEntry.
std::string print(const model::JobSpec& spec, const std::string& carried, Notes& notes);
std::string schema();

}  // namespace ty::jobspec::pumpkin
