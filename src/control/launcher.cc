#include "control/launcher.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "engine/local/docker/image.h"
#include "engine/paths.h"
#include "model/environment.h"
#include "model/names.h"
#include "model/references.h"
#include "telemetry/log_paths.h"

namespace ty::control {

namespace {

std::vector<int> ports_at_end(const model::Task& task, const model::RoleSpec& role) {
  // Controller::draw_ports puts the meeting ports of jobs with several tasks behind the declared
  // ones.
  if (!task.placement || task.placement->ports.size() <= model::all_ports(role).size()) return {};
  return task.placement->ports.back();
}

const model::Task& task_of(const model::Job& job, model::TaskRef ref) {
  return *std::ranges::find(job.life.tasks, ref, &model::Task::ref);
}

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

}  // namespace

Result<engine::Launch> Launcher::make(const LaunchSnapshot& snapshot,
                                      const model::TaskKey& key) const {
  const model::Job& job = snapshot.job;
  const model::JobSpec& spec = *snapshot.spec;
  const model::RoleSpec& role = spec.roles[static_cast<std::size_t>(key.task.role)];
  const model::Task& task = task_of(job, key.task);
  const std::vector<model::Port> ports = model::all_ports(role);
  for (std::size_t i = 0; i < ports.size(); ++i) {
    if (task.placement->ports.size() <= i || task.placement->ports[i].empty()) {
      return fail(Errc::Conflict, fmt::format("no port is free for \"{}\"", ports[i].label));
    }
  }

  engine::Launch launch;
  launch.key = key;
  launch.role_name = role.name;
  launch.host_name = model::task_hostname(spec, key.job, key.task);
  launch.host_aliases = model::task_aliases(spec, key.job, key.task);
  launch.network = role.network;
  launch.image = role.image;
  launch.pull = role.pull;
  // Under a name the job gives, or under that of the image's own registry.
  const bool is_named = role.image_auth && role.image_auth->stored_name;
  launch.registry = registries_.find(
      job.owner,
      job.workspace,
      is_named ? *role.image_auth->stored_name : engine::docker::registry_of(role.image));
  launch.command = role.command;
  launch.workdir = role.workdir;
  launch.resources = role.resources;
  launch.placement = *task.placement;
  launch.log_path = telemetry::log_path(dirs_.root(), key);
  launch.run_dir = dirs_.run_dir(key);
  launch.stop_grace = spec.stop_grace;
  launch.deadline = snapshot.deadline;
  if (role.task_limit) {
    const Time own = snapshot.now + *role.task_limit;
    launch.deadline = launch.deadline ? std::min(*launch.deadline, own) : own;
  }
  launch.debug_hold = spec.debug_hold;
  launch.caps = role.caps;
  launch.run_as = spec.run_as;

  std::error_code ec;
  std::filesystem::create_directories(dirs_.output_dir(key.job), ec);
  if (!ec) std::filesystem::create_directories(dirs_.job_logs(key.job), ec);
  if (ec)
    return fail(Errc::Exhausted, fmt::format("cannot make the job's folders: {}", ec.message()));

  model::EnvironmentInput env{.spec = spec,
                              .job = key.job,
                              .handle = job.handle,
                              .owner = job.owner_name,
                              .owner_id = job.owner,
                              .workspace = job.workspace_name,
                              .runtime = runtime_,
                              .attempt = key.attempt,
                              .tasks = job.life.tasks,
                              .self = key.task,
                              .deadline = snapshot.deadline};
  env.run_dir = launch.run_dir;
  bool has_output = false;
  for (const model::Mount& mount : role.mounts) {
    if (mount.mode == model::MountMode::ExportOnly) continue;  // only a name in the environment
    TY_TRY(engine::HostMount resolved, sources_.resolve(mount, job));
    has_output = has_output || mount.kind == model::MountKind::Output;
    launch.mounts.push_back(std::move(resolved));
  }
  if (!has_output) {
    launch.mounts.push_back({.kind = model::MountKind::Output,
                             .host_path = dirs_.output_dir(key.job),
                             .target = "/output"});
  }
  for (const engine::HostMount& mount : launch.mounts) {
    const bool process = runtime_ == model::RuntimeKind::Process;
    set_dir(env, mount.kind, process ? engine::process_path(launch.run_dir, mount) : mount.target);
  }
  for (const model::Mount& mount : role.mounts) {
    if (mount.mode == model::MountMode::ExportOnly) set_dir(env, mount.kind, mount.source);
  }
  // On networks of their own tasks meet where the job says, else at the usual ports.
  const auto usual_tf = static_cast<int>(spec.services.tensorflow_port.value_or(2222));
  env.master_port = static_cast<int>(spec.services.master_port.value_or(env.master_port));
  bool has_drawn = false;
  for (const model::Task& peer : job.life.tasks) {
    const std::vector<int> meeting =
        ports_at_end(peer, spec.roles[static_cast<std::size_t>(peer.ref.role)]);
    env.tf_ports.push_back(meeting.empty() ? usual_tf : meeting[0]);
    // All tasks are on one machine, so any port does that every task agrees on: the first one's.
    if (!has_drawn && meeting.size() > 1) {
      env.master_port = meeting[1];
      has_drawn = true;
    }
  }
  launch.environment = model::make_environment(env);
  if (model::has_references(spec.dialect))
    launch.command = model::resolve_references(std::move(launch.command), launch.environment);
  return launch;
}

}  // namespace ty::control
