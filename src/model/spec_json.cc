#include "model/spec_json.h"

#include "model/impl/spec_fields.h"

namespace ty::model {

std::string to_json(const JobSpec& spec) { return json_fields::print(spec, 512); }

std::string to_full_json(const JobSpec& spec) {
  return json_fields::print(spec, 4096, json_fields::Defaults::Write);
}

Result<JobSpec> spec_from_json(std::string_view text) {
  return json_fields::parse<JobSpec>(text, "job spec");
}

}  // namespace ty::model
