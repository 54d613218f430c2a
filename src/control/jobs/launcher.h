#pragma once
#include <memory>
#include <string>

#include "control/data_dir.h"
#include "control/registries/registry_service.h"
#include "control/secret_box.h"
#include "control/storages/mount_sources.h"
#include "control/storages/storages.h"
#include "control/uploads/uploads.h"
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
           const Storages& storages,
           const SecretBox& secrets,
           model::RuntimeKind runtime,
           std::vector<std::string> host_folders = {})
      : dirs_(dirs),
        sources_(dirs, uploads, with(std::move(host_folders), storages.root())),
        registries_(registries),
        storages_(storages),
        secrets_(secrets),
        runtime_(runtime) {}

  Result<engine::Launch> make(const LaunchSnapshot& snapshot, const model::TaskKey& key) const;

 private:
  Result<engine::HostMount> resolve(const model::Mount& mount,
                                    const model::Job& job,
                                    const engine::Launch& launch,
                                    const model::JobSpec& spec) const;
  Result<engine::HostMount> resolve(const model::Mount& mount,
                                    engine::ObjectFolder object,
                                    const engine::Launch& launch) const;
  Result<void> add_mounts(const model::Job& job,
                          const model::RoleSpec& role,
                          engine::Launch& launch,
                          model::EnvironmentInput& env) const;
  Result<std::optional<engine::RegistryLogin>> login(const model::RoleSpec& role,
                                                     const model::TextMap& secrets) const;
  /// The site's storage is granted like the folders the administrator names.
  static std::vector<std::string> with(std::vector<std::string> folders, const std::string& more) {
    folders.push_back(more);
    return folders;
  }

  const DataDir& dirs_;
  MountSources sources_;
  const RegistryService& registries_;
  const Storages& storages_;
  const SecretBox& secrets_;
  model::RuntimeKind runtime_;
};

}  // namespace ty::control
