#include "control/jobs/held_spec.h"

#include "model/spec_json.h"

namespace ty::control {

const std::shared_ptr<const model::JobSpec>& HeldSpec::shared() const {
  if (spec_ == nullptr) {
    const Result<std::string> json = packed_.json();
    TY_CHECK(json.has_value(), "what was stored is whole");
    Result<model::JobSpec> spec = model::spec_from_json(*json);
    TY_CHECK(spec.has_value(), "what we wrote we can read");
    spec_ = std::make_shared<const model::JobSpec>(*std::move(spec));
  }
  return spec_;
}

}  // namespace ty::control
