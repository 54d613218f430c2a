#pragma once
#include <memory>
#include <string>

#include "control/registries/registry_service.h"
#include "control/secret_box.h"
#include "engine/engine.h"
#include "engine/launch.h"
#include "engine/permissions.h"
#include "model/job.h"

namespace ty::control {

/// Turns a placed task into what an engine is asked to run: its mounts by source, its secrets
/// opened, who may fetch its image. Any thread.
class Launcher {
 public:
  struct Parts {
    const RegistryService& registries;
    const SecretBox& secrets;
    engine::Permissions permissions;
    engine::Capabilities able;  ///< the engine's
  };
  explicit Launcher(Parts parts) : p_(std::move(parts)) {}

  /// `now`: when the task is started, for its own time limit. Forbidden when it asks for what the
  /// site does not allow: the job may be older than the settings.
  Result<engine::Launch> make(std::shared_ptr<const engine::Attempt> attempt,
                              const model::TaskKey& key,
                              Time now) const;

 private:
  Result<void> add_mounts(engine::Launch& launch) const;
  Result<void> add_logins(engine::Launch& launch, const model::TextMap& secrets) const;

  const Parts p_;
};

}  // namespace ty::control
