#pragma once
#include <string>

#include "engine/engine.h"
#include "engine/local/local_launch.h"
#include "engine/local/mounts/mount_folders.h"
#include "engine/permissions.h"

namespace ty::engine {

/// Turns what the platform asks for into what this machine does: paths, ports, addresses, the
/// registry of an image. Any thread; may block on the disk.
class Resolver {
 public:
  Resolver(std::string data_dir, MountFolders::Places places, Permissions permissions)
      : data_dir_(std::move(data_dir)),
        folders_(std::move(places)),
        permissions_(std::move(permissions)) {}

  const MountFolders& folders() const { return folders_; }
  /// NotFound and Invalid are the job's fault; Forbidden: it asks for what the site does not allow;
  /// Conflict: no port is free for it.
  Result<LocalLaunch> resolve(const Launch& launch, const Capabilities& able) const;

 private:
  Result<std::optional<RegistryLogin>> login(const Launch& launch, const Capabilities& able) const;

  const std::string data_dir_;
  const MountFolders folders_;
  const Permissions permissions_;
};

}  // namespace ty::engine
