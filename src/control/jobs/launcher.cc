#include "control/jobs/launcher.h"

#include <algorithm>

#include "control/storages/mount_sources.h"
#include "jobspec/storage_path.h"
#include "model/secret_tags.h"

namespace ty::control {

namespace {

/// OpenPAI put code beside the command, wherever the image starts. Here the command starts in a
/// folder of its own that holds nothing else.
constexpr std::string_view kStartFolder = "/pai/work";

}  // namespace

Result<void> Launcher::add_mounts(engine::Launch& launch) const {
  const model::JobSpec& spec = *launch.attempt->spec;
  bool has_output = false;
  for (const model::Mount& mount : launch.role().mounts) {
    if (mount.mode == model::MountMode::ExportOnly) continue;  // only a name in the environment
    TY_TRY(engine::Mount found, mount_of(mount, spec, launch.attempt->job.workspace));
    if (mount.secret) {
      TY_TRY(Secret key, p_.secrets.open(model::SecretRef{.sealed = mount.secret}));
      set_secret_key(found, std::move(key));
    }
    has_output = has_output || mount.kind == model::MountKind::Output;
    if (mount.target.starts_with("./")) {
      found.target = std::string(kStartFolder) + mount.target.substr(1);
      launch.start_folder = kStartFolder;
    }
    if (mount.target.starts_with(jobspec::kStorageTarget))
      launch.storage_root = jobspec::kStorageTarget;
    launch.mounts.push_back(std::move(found));
  }
  if (!has_output) {
    launch.mounts.push_back({.kind = model::MountKind::Output,
                             .source = engine::source::JobOutput{},
                             .target = "/output"});
  }
  return {};
}

Result<void> Launcher::add_logins(engine::Launch& launch, const model::TextMap& secrets) const {
  const model::Job& job = launch.attempt->job;
  const std::optional<model::ImageAuth>& auth = launch.role().image_auth;
  if (auth && auth->file) {
    launch.login_file = login_file(*auth->file);
    return {};
  }
  if (auth && auth->password.sealed) {
    engine::RegistryLogin own{.server = auth->server,
                              .username = model::fill_secrets(auth->username, secrets)};
    TY_TRY(own.password, p_.secrets.open(auth->password));
    launch.login = std::move(own);
    return {};
  }
  // Under a name the job gives, or under that of the image's own registry, which the engine knows.
  if (auth && auth->stored_name)
    launch.login = p_.registries.find(job.owner, job.workspace, *auth->stored_name);
  if (!launch.login) launch.logins = p_.registries.all(job.owner, job.workspace);
  return {};
}

Result<engine::Launch> Launcher::make(std::shared_ptr<const engine::Attempt> attempt,
                                      const model::TaskKey& key,
                                      Time now) const {
  const model::JobSpec& spec = *attempt->spec;
  engine::Launch launch{.key = key, .attempt = attempt};
  const model::RoleSpec& role = launch.role();
  if (const auto refused = engine::refusals(p_.permissions, p_.able, spec, role); !refused.empty())
    return fail(Errc::Forbidden, refused.front().why);
  launch.command = role.command;
  launch.deadline = attempt->deadline;
  if (role.task_limit) {
    const Time own = now + *role.task_limit;
    launch.deadline = launch.deadline ? std::min(*launch.deadline, own) : own;
  }
  TY_DO(add_mounts(launch));
  TY_TRY(const model::TextMap secrets, p_.secrets.open(spec));
  model::fill_secrets(launch.command, secrets);
  TY_DO(add_logins(launch, secrets));
  if (spec.services.ssh) {
    TY_TRY(const auth::SshKeyPair keys, p_.secrets.ssh_key(key.job));
    launch.ssh =
        engine::SshKeys{.private_key = keys.private_key.reveal(), .public_key = keys.public_key};
  }
  return launch;
}

}  // namespace ty::control
