#pragma once
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/job.h"
#include "model/job_spec.h"

namespace ty::control {

/// What the logs of one job are, before any is opened.
struct JobLogs {
  model::Job job;
  model::JobSpec spec;
  std::vector<model::TaskKey> tries;  ///< all that have begun, in order
  std::set<model::TaskKey> over;      ///< those of them that have run and ended: they had a log

  /// `worker-1`
  std::string label(model::TaskRef task) const;
  /// By its label; or by the role's name where the role has one task. NotFound lists what there is.
  Result<model::TaskRef> find_task(const std::string& name) const;
};

}  // namespace ty::control
