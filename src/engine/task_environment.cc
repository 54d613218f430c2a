#include "engine/task_environment.h"

#include "model/references.h"

namespace ty::engine {

namespace {

constexpr int kMasterPort = 29'500;
constexpr int kTensorFlowPort = 2222;

void set_dir(model::EnvironmentInput& env, model::MountKind kind, const std::string& path) {
  switch (kind) {
    case model::MountKind::Code:
      env.code_dir = path;
      break;
    case model::MountKind::Data:
      env.data_dir = path;
      break;
    case model::MountKind::Output:
      env.output_dir = path;
      break;
    case model::MountKind::Model:
      env.model_dir = path;
      break;
    default:
      break;
  }
}

std::string below(const std::string& root, const std::string& target) {
  return root + (root.empty() || target.starts_with('/') ? "" : "/") + target;
}

void set_dirs(const Launch& launch, const std::string& root, model::EnvironmentInput& env) {
  for (const Mount& mount : launch.mounts) set_dir(env, mount.kind, below(root, mount.target));
  const bool openpai = env.spec.dialect == model::Dialect::OpenPaiV1 ||
                       env.spec.dialect == model::Dialect::OpenPaiV2;
  for (const model::Mount& mount : launch.role().mounts) {
    // What an OpenPAI job writes stays in the platform's folder, where people look for it.
    const bool own = openpai && mount.kind == model::MountKind::Output;
    if (mount.mode == model::MountMode::ExportOnly && !own) set_dir(env, mount.kind, mount.source);
  }
}

}  // namespace

TaskWords task_words(const Launch& launch, const Surroundings& around) {
  const Attempt& attempt = *launch.attempt;
  const model::JobSpec& spec = *attempt.spec;
  model::EnvironmentInput env{.spec = spec,
                              .job = launch.key.job,
                              .handle = attempt.job.handle,
                              .owner = attempt.job.owner_name,
                              .owner_id = attempt.job.owner,
                              .workspace = attempt.job.workspace_name,
                              .runtime = around.runtime,
                              .attempt = launch.key.attempt,
                              .tasks = around.tasks,
                              .self = launch.key.task,
                              .deadline = attempt.deadline};
  env.run_dir = around.root;
  set_dirs(launch, around.root, env);
  if (!launch.storage_root.empty()) env.storage_root = around.root + launch.storage_root;
  TaskWords words{.workdir = launch.role().workdir};
  if (!words.workdir && launch.start_folder) {
    words.workdir = around.root + *launch.start_folder;
    env.work_dir = *words.workdir;
  }
  env.master_port = around.master_port.value_or(
      static_cast<int>(spec.services.master_port.value_or(kMasterPort)));
  const auto usual = static_cast<int>(spec.services.tensorflow_port.value_or(kTensorFlowPort));
  for (std::size_t i = 0; i < around.tasks.size(); ++i) {
    const bool is_drawn = i < around.tf_ports.size() && around.tf_ports[i];
    env.tf_ports.push_back(is_drawn ? *around.tf_ports[i] : usual);
  }
  if (launch.ssh) {
    env.ssh_private_key = launch.ssh->private_key;
    env.ssh_public_key = launch.ssh->public_key;
  }
  words.environment = model::make_environment(env);
  words.command = launch.command;
  if (model::has_references(spec.dialect))
    words.command = model::resolve_references(std::move(words.command), words.environment);
  return words;
}

}  // namespace ty::engine
