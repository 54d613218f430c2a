#include "control/jobs/launcher.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/text.h"
#include "engine/local/docker/image.h"
#include "engine/local/transfer/transfers.h"
#include "engine/paths.h"
#include "jobspec/storage_path.h"
#include "model/environment.h"
#include "model/names.h"
#include "model/references.h"
#include "model/secret_tags.h"
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

/// Containers have addresses on the network of their job, which is made when the first one starts.
void mark_addresses(const model::JobSpec& spec,
                    std::vector<model::Task>& tasks,
                    engine::Launch& launch) {
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    model::Task& task = tasks[i];
    const model::RoleSpec& role = spec.roles[static_cast<std::size_t>(task.ref.role)];
    launch.peers.push_back(model::task_host(spec, task.ref));
    if (task.ref == launch.key.task) launch.number = i;
    if (task.placement && role.network == model::Network::Bridge)
      task.placement->address = fmt::format("{0}{1}{0}", engine::kAddressMark, i);
  }
}

}  // namespace

/// OpenPAI put code beside the command, wherever the image starts. Here the command starts in a
/// folder of its own that holds nothing else.
constexpr std::string_view kStartFolder = "/pai/work";

Result<void> Launcher::add_mounts(const model::Job& job,
                                  const model::RoleSpec& role,
                                  engine::Launch& launch,
                                  model::EnvironmentInput& env) const {
  const bool process = runtime_ == model::RuntimeKind::Process;
  bool has_output = false;
  for (const model::Mount& mount : role.mounts) {
    if (mount.mode == model::MountMode::ExportOnly) {
      continue;  // only a name in the environment
    }
    TY_TRY(engine::HostMount resolved, resolve(mount, job, launch, env.spec));
    has_output = has_output || mount.kind == model::MountKind::Output;
    if (mount.target.starts_with("./")) {
      resolved.target = std::string(kStartFolder) + mount.target.substr(1);
      resolved.kind = model::MountKind::Scratch;  // a Code mount would be where the command starts
      if (!launch.workdir) {
        launch.workdir = process ? engine::process_path(launch.run_dir, kStartFolder)
                                 : std::string(kStartFolder);
        env.work_dir = *launch.workdir;
      }
      set_dir(env,
              mount.kind,
              process ? engine::process_path(launch.run_dir, resolved) : resolved.target);
    }
    if (mount.target.starts_with(jobspec::kStorageTarget)) {
      env.storage_root = process ? engine::process_path(launch.run_dir, jobspec::kStorageTarget)
                                 : std::string(jobspec::kStorageTarget);
    }
    launch.mounts.push_back(std::move(resolved));
  }
  if (!has_output) {
    launch.mounts.push_back({.kind = model::MountKind::Output,
                             .host_path = dirs_.output_dir(launch.key.job),
                             .target = "/output"});
  }
  for (const engine::HostMount& mount : launch.mounts) {
    set_dir(env, mount.kind, process ? engine::process_path(launch.run_dir, mount) : mount.target);
  }
  const bool openpai = env.spec.dialect == model::Dialect::OpenPaiV1 ||
                       env.spec.dialect == model::Dialect::OpenPaiV2;
  for (const model::Mount& mount : role.mounts) {
    // What an OpenPAI job writes stays in the platform's folder, where people look for it.
    const bool own = openpai && mount.kind == model::MountKind::Output;
    if (mount.mode == model::MountMode::ExportOnly && !own) set_dir(env, mount.kind, mount.source);
  }
  return {};
}

/// Data are brought to the task's own folder. Results are kept where those of all jobs are, and
/// sent to the bucket from there.
Result<engine::HostMount> Launcher::resolve(const model::Mount& mount,
                                            engine::ObjectFolder object,
                                            const engine::Launch& launch) const {
  if (mount.secret) {
    TY_TRY(object.secret_key, secrets_.open(model::SecretRef{.sealed = mount.secret}));
  }
  engine::HostMount made{.kind = mount.kind, .target = mount.target};
  if (mount.kind == model::MountKind::Output) {
    made.host_path = dirs_.output_dir(launch.key.job);
    made.save_to = std::move(object);
  } else {
    made.host_path = engine::fetched_folder(launch.run_dir, launch.mounts.size());
    made.fetch_from = std::move(object);
  }
  return made;
}

Result<engine::HostMount> Launcher::resolve(const model::Mount& mount,
                                            const model::Job& job,
                                            const engine::Launch& launch,
                                            const model::JobSpec& spec) const {
  if (auto object = object_folder(mount, spec)) return resolve(mount, *std::move(object), launch);
  if (!jobspec::storage_path(mount.source)) return sources_.resolve(mount, job);
  engine::HostMount found{.kind = mount.kind, .target = mount.target, .read_only = mount.read_only};
  TY_TRY(found.host_path, storages_.folder(mount));
  found.private_copy = mount.mode == model::MountMode::CopyIn;
  return found;
}

Result<std::optional<engine::RegistryLogin>> Launcher::login(const model::RoleSpec& role,
                                                             const model::TextMap& secrets) const {
  // Without images nobody signs in, and nobody needs the file to be there.
  if (!role.image_auth || runtime_ == model::RuntimeKind::Process) return std::nullopt;
  const model::ImageAuth& auth = *role.image_auth;
  if (!auth.file && !auth.password.sealed) return std::nullopt;
  engine::RegistryLogin out{
      .server = auth.server.empty() ? engine::docker::registry_of(role.image) : auth.server,
      .username = model::fill_secrets(auth.username, secrets)};
  if (auth.file) {
    TY_TRY(const std::string text, storages_.read(*auth.file));
    const std::vector<std::string> lines = split(text, '\n');
    if (lines.size() < 3) {
      return fail(Errc::Invalid,
                  fmt::format("{} must have three lines: registry, user, password",
                              shorten(*auth.file, 200)));
    }
    out.server = trim(lines[0]);
    out.username = trim(lines[1]);
    out.password = Secret(std::string(trim(lines[2])));
    return out;
  }
  TY_TRY(out.password, secrets_.open(auth.password));
  return out;
}

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
    return fail(disk_errc(ec.value()),
                fmt::format("cannot make the job's folders: {}", ec.message()));

  std::vector<model::Task> tasks = job.life.tasks;
  if (runtime_ == model::RuntimeKind::Docker) mark_addresses(spec, tasks, launch);
  model::EnvironmentInput env{.spec = spec,
                              .job = key.job,
                              .handle = job.handle,
                              .owner = job.owner_name,
                              .owner_id = job.owner,
                              .workspace = job.workspace_name,
                              .runtime = runtime_,
                              .attempt = key.attempt,
                              .tasks = tasks,
                              .self = key.task,
                              .deadline = snapshot.deadline};
  env.run_dir = launch.run_dir;
  TY_DO(add_mounts(job, role, launch, env));
  TY_TRY(const model::TextMap secrets, secrets_.open(spec));
  TY_TRY(std::optional<engine::RegistryLogin> own, login(role, secrets));
  if (own) launch.registry = std::move(own);
  model::fill_secrets(launch.command, secrets);
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
  if (spec.services.ssh) {
    TY_TRY(const auth::SshKeyPair keys, secrets_.ssh_key(key.job));
    env.ssh_private_key = keys.private_key.reveal();
    env.ssh_public_key = keys.public_key;
  }
  launch.environment = model::make_environment(env);
  if (model::has_references(spec.dialect))
    launch.command = model::resolve_references(std::move(launch.command), launch.environment);
  return launch;
}

}  // namespace ty::control
