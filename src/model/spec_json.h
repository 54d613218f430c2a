#pragma once
#include <string>
#include <string_view>

#include "base/result.h"
#include "model/job_spec.h"

namespace ty::model {

/// The one JSON form of a JobSpec, as the store keeps it: only what differs from the defaults is
/// written, and nothing is lost: `spec_from_json(to_json(x)) == x`. JSON documents inside it
/// (`params`, `extras`, …) are kept as texts, byte for byte.
std::string to_json(const JobSpec& spec);

/// The same with every field written, for comparing two of them field by field.
std::string to_full_json(const JobSpec& spec);

/// Invalid when the text is no JSON, or a value has a wrong type or word; unknown keys are passed
/// over, so that an older program can read what a newer one wrote.
Result<JobSpec> spec_from_json(std::string_view text);

}  // namespace ty::model
