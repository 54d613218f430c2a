#pragma once
#include <cstdint>
#include <string_view>

#include "jobspec/impl/report.h"
#include "jobspec/impl/tree.h"
#include "model/job_spec.h"

namespace ty::jobspec {

/// What of a job a check is about, in the model's words.
enum class Part : std::uint8_t {
  Job,
  Name,
  Description,
  Workspace,
  Priority,
  Labels,
  Gang,
  SucceedAfter,
  Secrets,
  Params,
  Extras,
  Alerts,
  Metrics,
  Policies,
  Env,
  Role,
  Count,
  MinCount,
  Image,
  Command,
  Workdir,
  Cpus,
  Memory,
  Shm,
  Gpus,
  Ports,
  Mounts,
  After,
  FailWhen,
  DoneWhen,
  NodeLabels,
  Sku
};

struct Subject {
  static constexpr std::size_t kWhole = static_cast<std::size_t>(-1);
  Part part = Part::Job;
  int role = -1;               ///< -1: the job's own
  std::string_view key;        ///< inside a map: the variable, label, …
  std::size_t index = kWhole;  ///< inside a list: the mount, port, …
};

/// The way back from the model to the text; each dialect knows its own.
class Origin {
 public:
  virtual ~Origin() = default;
  /// The node to point at, or the nearest one above it.
  virtual Ref locate(const Subject& subject) const = 0;
  /// Already complained about: what is compared with it would only repeat that.
  virtual bool doubtful(Part part, int role) const = 0;
};

/// The rules every dialect shares (job-model §1, §9, §10). Finds all faults; changes nothing.
void validate(const model::JobSpec& spec, const Origin& origin, Report& report);

}  // namespace ty::jobspec
