#include "control/held_spec.h"

#include <zstd.h>

#include "model/spec_json.h"

namespace ty::control {

const std::shared_ptr<const model::JobSpec>& HeldSpec::shared() const {
  if (spec_ == nullptr) {
    std::string json(ZSTD_getFrameContentSize(packed_.data(), packed_.size()), '\0');
    ZSTD_decompress(json.data(), json.size(), packed_.data(), packed_.size());
    Result<model::JobSpec> spec = model::spec_from_json(json);
    TY_CHECK(spec.has_value(), "what we wrote we can read");
    spec_ = std::make_shared<const model::JobSpec>(*std::move(spec));
  }
  return spec_;
}

void HeldSpec::pack() {
  if (spec_ == nullptr) return;
  if (packed_.empty()) {
    const std::string json = model::to_json(*spec_);
    packed_.resize(ZSTD_compressBound(json.size()));
    packed_.resize(ZSTD_compress(packed_.data(), packed_.size(), json.data(), json.size(), 1));
    packed_.shrink_to_fit();
  }
  spec_.reset();
}

}  // namespace ty::control
