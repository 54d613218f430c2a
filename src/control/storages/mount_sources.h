#pragma once
#include <optional>
#include <string>
#include <vector>

#include "control/data_dir.h"
#include "control/uploads/uploads.h"
#include "engine/launch.h"
#include "model/job.h"

namespace ty::control {

/// Turns what a job file names as the source of a mount into a folder of this machine. Folders of
/// the machine itself are given only where the administrator listed them (`jobs.host_folders`).
class MountSources {
 public:
  MountSources(const DataDir& dirs, const Uploads& uploads, std::vector<std::string> host_folders)
      : dirs_(dirs), uploads_(uploads), host_folders_(std::move(host_folders)) {}

  /// Makes the folders that belong to the job. May block on the disk.
  Result<engine::HostMount> resolve(const model::Mount& mount, const model::Job& job) const;

 private:
  Result<std::string> host_folder(const std::string& path, bool make) const;

  const DataDir& dirs_;
  const Uploads& uploads_;
  std::vector<std::string> host_folders_;
};

/// The bucket of an FfDL job's data store; none: it is no such mount, or nobody says where it is.
std::optional<engine::ObjectFolder> object_folder(const model::Mount& mount,
                                                  const model::JobSpec& spec);
/// Why this server can not reach it, for a person; none: it can be tried.
std::optional<std::string> object_refusal(const engine::ObjectFolder& folder,
                                          const std::vector<std::string>& stores,
                                          bool is_possible);

/// Why this server can never mount it, for a person; none: it can be tried. Looks at the text only.
std::optional<std::string> mount_refusal(const model::Mount& mount,
                                         const std::vector<std::string>& host_folders);

}  // namespace ty::control
