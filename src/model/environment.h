#pragma once
#include <string>
#include <utility>
#include <vector>

#include "model/job.h"
#include "model/names.h"

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
  const std::vector<Task>& tasks;  ///< all of the job, with their placements where they have one
  TaskRef self;
  std::optional<Time> deadline;  ///< when the time limit strikes
  /// Where the task finds its mounts: their targets, or for processes real paths in the run folder.
  /// Empty: no such mount.
  std::string code_dir, data_dir, output_dir, model_dir, run_dir;
  std::string storage_root;
  std::string ssh_private_key, ssh_public_key;  ///< of the job; empty: tasks get none
  std::string work_dir;     ///< where the command starts, when that is neither code nor run folder
  TextMap site_defaults;    ///< layer 4
  TextMap secrets;          ///< layer 6, values
  int master_port = 29500;  ///< drawn per job for processes
  std::vector<int> tf_ports;  ///< drawn per task for processes; else 2222
  std::string kube_object;    ///< Kubernetes: what the job's objects are called
};

/// Sorted by name, names distinct.
using Environment = std::vector<std::pair<std::string, std::string>>;

/// The folder with which the tasks of a job reach each other by ssh: keys, whom to let in, names.
struct SshFolder {
  std::string path;                                        ///< where the task finds it
  std::vector<std::pair<std::string, std::string>> files;  ///< name, content; for its user alone
};

/// Every variable of every platform, in layers, later wins (job-model §7).
struct TaskEnvironment {
  Environment soft;      ///< layer 1: the image's own ENV goes over these, `platform` over both
  Environment platform;  ///< layers 3 to 7
  /// Files beside it: `peers.json` and `hostfile` (`/etc/trainyard`), `volcano/<role>.host` and
  /// `taskInfo/<role>.host` (`/etc`); a process finds all of them below its run folder.
  std::vector<std::pair<std::string, std::string>> files;
  std::optional<SshFolder> ssh;
};
TaskEnvironment make_environment(const EnvironmentInput& in);

/// Whether its tasks get TF_CONFIG: several tasks, all in roles that TensorFlow knows. As processes
/// each then needs a port of its own beside the declared ones (and the job one for MASTER_PORT).
bool needs_tf_config(const JobSpec& spec);

}  // namespace ty::model
