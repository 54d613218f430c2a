#pragma once
#include <string>

#include "jobspec/impl/notes.h"
#include "model/job_spec.h"

namespace ty::jobspec::native {

/// print_native(), with a word on what a native file says in another way. There is no place for
/// `carried`: the native dialect has a word for everything the model knows, or none at all.
std::string print(const model::JobSpec& spec, const std::string& carried, Notes& notes);

}  // namespace ty::jobspec::native
