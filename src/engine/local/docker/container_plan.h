#pragma once
#include <expected>
#include <string>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "engine/gpu.h"
#include "engine/local/docker/gpu_access.h"
#include "engine/local/docker/image.h"
#include "engine/local/local_launch.h"
#include "engine/local/process/launch_writer.h"

namespace ty::engine::docker {

/// What the containers of one server have in common.
struct ContainerSetup {
  std::string data_dir;
  std::string owner;  ///< value of the label `trainyard.owner`: which data directory they belong to
  std::string server;  ///< value of `trainyard.server`: which run of the server made them
  std::int64_t max_processes = 0;
  std::vector<std::string> ulimits;
  bool can_limit_swap = true;
  std::vector<Gpu> gpus;  ///< position = device index
  GpuAccess gpu_access;
  bool remaps_users = false;  ///< root in a container is not root here
};

/// How a task becomes a container; pure but for looking at its mounts.
struct ContainerPlan {
  std::string body;  ///< of `POST /containers/create`
  /// Below the `.ctl` folder; the launch file is not among them.
  std::vector<std::pair<std::string, std::string>> files;
  std::vector<ProcessPlan::Copy> copies;
  std::vector<Fd> folders;  ///< those that others can change, held open while they are mounted
  std::string launch_text;
};

/// `host` for the machine's own network.
std::expected<ContainerPlan, model::Ending> plan_container(const ContainerSetup& setup,
                                                           const LocalLaunch& launch,
                                                           const Image& image,
                                                           const std::string& network,
                                                           const std::vector<Message>& warnings,
                                                           std::int64_t ticket);

/// `ty-JOB.A.ROLE.I.T`: one container per try, so Docker itself refuses a second.
std::string container_name(const model::TaskKey& key);

/// Where the keys of a task lie that its container sees as `SshFolder::path`.
std::string ssh_folder(const LocalLaunch& launch);

inline constexpr char kOwnerLabel[] = "trainyard.owner";
inline constexpr char kServerLabel[] = "trainyard.server";
inline constexpr char kTaskLabel[] = "trainyard.task";  ///< JOB.A.ROLE.I.T

}  // namespace ty::engine::docker
