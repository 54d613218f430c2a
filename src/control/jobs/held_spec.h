#pragma once
#include <memory>

#include "model/job_spec.h"
#include "store/job_store.h"

namespace ty::control {

/// The spec of a job the controller holds. A job that waits is not looked at for hours, and a
/// hundred thousand may wait: `pack` keeps only the few hundred bytes the store has of it, and the
/// next use unfolds them. One thread at a time.
class HeldSpec {
 public:
  HeldSpec(std::shared_ptr<const model::JobSpec> spec, store::PackedSpec packed)
      : spec_(std::move(spec)), packed_(std::move(packed)) {}

  const model::JobSpec& operator*() const { return *shared(); }
  const model::JobSpec* operator->() const { return shared().get(); }
  const std::shared_ptr<const model::JobSpec>& shared() const;
  void pack() { spec_.reset(); }

 private:
  mutable std::shared_ptr<const model::JobSpec> spec_;  ///< null while packed
  store::PackedSpec packed_;
};

}  // namespace ty::control
