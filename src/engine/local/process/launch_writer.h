#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "engine/engine.h"
#include "engine/local/process/setup.h"

namespace ty::engine {

/// A launch turned into what the process runtime makes of it; pure but for looking at the machine
/// (does that folder exist, who is that user).
struct ProcessPlan {
  struct Copy {
    std::string from;
    std::string to;
  };
  std::vector<std::pair<std::string, bool>> mount_points;  ///< to make; true: a folder
  std::vector<std::pair<std::string, std::string>> links;  ///< name, target: without a sandbox
  std::vector<Copy> copies;                                ///< private copies
  std::vector<std::pair<std::string, std::string>> files;  ///< path, content
  bool needs_work_folder = false;
  std::vector<std::string> mounted;  ///< what is checked inside of bubblewrap
  std::string launch_text;           ///< the launch file
  std::optional<std::pair<std::int64_t, std::int64_t>> owner;  ///< uid, gid of what we make
  std::vector<Message> warnings;
};

/// The plan, or the Ending that says why such a task can never run here.
std::expected<ProcessPlan, model::Ending> plan_process(const ProcessSetup& setup,
                                                       const LocalLaunch& launch,
                                                       std::int64_t ticket);

/// The devices behind a placement; empty when they are only configured.
std::vector<std::string> granted_uuids(const std::vector<Gpu>& gpus,
                                       const model::Placement& placement);

/// Name of a task's cgroup.
std::string cgroup_name(const model::TaskKey& key);

/// Bits of the capabilities a task of uid 0 keeps; `words` are RoleSpec::caps.
std::uint64_t kept_capabilities(const std::vector<std::string>& words);

}  // namespace ty::engine
