#pragma once
#include <string>
#include <utility>
#include <vector>

#include "model/job.h"

namespace ty::model {

enum class RuntimeKind : std::uint8_t { Process, Docker, Oci, Kubernetes, Fake };

/// What the environment of a task is made from, apart from the spec.
struct EnvironmentInput {
  const JobSpec& spec;
  JobId job;
  std::string handle;
  std::string owner;
  UserId owner_id;
  std::string workspace;
  RuntimeKind runtime = RuntimeKind::Process;
  int attempt = 0;
  const std::vector<Task>& tasks;  ///< with their placements
  TaskRef self;
  std::optional<Time> deadline;  ///< when the time limit strikes
  /// Real paths of mounts by kind where they differ from the targets (process runtime); empty: no
  /// such mount.
  std::string code_dir, data_dir, output_dir, model_dir, run_dir;
  std::string storage_root;
  TextMap site_defaults;      ///< layer 4
  TextMap secrets;            ///< layer 6, values
  int master_port = 29500;    ///< drawn per job for processes
  std::vector<int> tf_ports;  ///< drawn per task for processes; else 2222
};

using Environment = std::vector<std::pair<std::string, std::string>>;

/// Every variable of every platform, in layers, later wins (job-model §7). `soft` names that an
/// image's own ENV may override come first in `soft`.
struct TaskEnvironment {
  Environment soft;      ///< layer 1
  Environment platform;  ///< layers 3 to 7, sorted by name, names distinct
  /// Files beside it: path below the run folder (`peers.json`, `hostfile`, `volcano/<ident>.host`,
  /// `taskInfo/…`).
  std::vector<std::pair<std::string, std::string>> files;
};
TaskEnvironment make_environment(const EnvironmentInput& in);

/// dns(x) of job-model §9.
std::string dns_name(std::string_view text, std::string_view fallback_id);

/// Extra ports that processes need drawn beside the declared ones (MASTER_PORT once a job, TF one a
/// task).
bool needs_tf_config(const JobSpec& spec);

}  // namespace ty::model
