#pragma once
#include <memory>
#include <string>

#include "control/registries/registry_service.h"
#include "control/secret_box.h"
#include "engine/launch.h"
#include "model/job.h"

namespace ty::control {

/// Turns a placed task into what an engine is asked to run: its mounts by source, its secrets
/// opened, who may fetch its image. Any thread.
class Launcher {
 public:
  Launcher(const RegistryService& registries, const SecretBox& secrets)
      : registries_(registries), secrets_(secrets) {}

  /// `now`: when the task is started, for its own time limit.
  Result<engine::Launch> make(std::shared_ptr<const engine::Attempt> attempt,
                              const model::TaskKey& key,
                              Time now) const;

 private:
  Result<void> add_mounts(engine::Launch& launch) const;
  Result<void> add_logins(engine::Launch& launch, const model::TextMap& secrets) const;

  const RegistryService& registries_;
  const SecretBox& secrets_;
};

}  // namespace ty::control
