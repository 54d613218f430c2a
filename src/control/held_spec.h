#pragma once
#include <memory>
#include <string>

#include "model/job_spec.h"

namespace ty::control {

/// The spec of a job the controller holds. A job that waits is not looked at for hours, and a
/// hundred thousand may wait: `pack` folds the spec into a few hundred bytes, and the next use
/// unfolds it. One thread at a time.
class HeldSpec {
 public:
  explicit HeldSpec(std::shared_ptr<const model::JobSpec> spec) : spec_(std::move(spec)) {}

  const model::JobSpec& operator*() const { return *shared(); }
  const model::JobSpec* operator->() const { return shared().get(); }
  const std::shared_ptr<const model::JobSpec>& shared() const;
  void pack();

 private:
  mutable std::shared_ptr<const model::JobSpec> spec_;  ///< null while packed
  std::string packed_;
};

}  // namespace ty::control
