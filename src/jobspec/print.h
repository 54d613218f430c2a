#pragma once
#include <string>

#include "model/job_spec.h"

namespace ty::jobspec {

/// Canonical native YAML: keys in the order of the reference page, only values that differ from
/// their default. `read(print_native(spec))` gives `spec` back for every native spec that read()
/// accepts.
std::string print_native(const model::JobSpec& spec);

/// JSON Schema (Draft-07) of the native format, for editors.
std::string json_schema();

/// `docs/reference/job-file.md`; a test compares the file with it.
std::string reference_page();

}  // namespace ty::jobspec
