#pragma once
#include <memory>
#include <string>

#include "control/data_dir.h"
#include "control/mount_sources.h"
#include "control/registry_service.h"
#include "control/uploads.h"
#include "engine/launch.h"
#include "model/job.h"

namespace ty::control {

/// A job as it was when some of its tasks began; shared by all of them.
struct LaunchSnapshot {
  model::Job job;  ///< with its tasks and their placements
  std::shared_ptr<const model::JobSpec> spec;
  std::optional<Time> deadline;  ///< of the job's time limit
  Time now{};
};

/// Turns a placed task into everything a runtime needs to run it: environment, folders, log,
/// limits. Any thread; may block on the disk.
class Launcher {
 public:
  Launcher(const DataDir& dirs,
           const Uploads& uploads,
           const RegistryService& registries,
           model::RuntimeKind runtime,
           std::vector<std::string> host_folders = {})
      : dirs_(dirs),
        sources_(dirs, uploads, std::move(host_folders)),
        registries_(registries),
        runtime_(runtime) {}

  Result<engine::Launch> make(const LaunchSnapshot& snapshot, const model::TaskKey& key) const;

 private:
  const DataDir& dirs_;
  MountSources sources_;
  const RegistryService& registries_;
  model::RuntimeKind runtime_;
};

}  // namespace ty::control
