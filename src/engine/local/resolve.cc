#include "engine/local/resolve.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/text.h"
#include "engine/image_name.h"
#include "engine/local/network/local_addresses.h"
#include "engine/local/paths.h"
#include "engine/messages.h"
#include "engine/task_environment.h"
#include "model/names.h"
#include "model/words.h"
#include "telemetry/log_paths.h"

namespace ty::engine {

namespace {

/// A password goes to the server it was made for and nowhere else: the daemon would send it to
/// whichever server the image names.
Result<RegistryLogin> for_image_only(RegistryLogin login, const std::string& image) {
  const std::string registry = registry_of(image);
  if (login.server.empty()) login.server = registry;
  login.server = registry_name(login.server);
  if (login.server == registry) return login;
  return fail(
      Errc::Forbidden,
      say::login_for_another_registry(
          {.server = shorten(login.server), .image = shorten(image), .registry = registry}));
}

/// Judged when the job was handed in too; it may be older than the site's settings.
Result<void> check_permissions(const Permissions& permissions,
                               const Capabilities& able,
                               const Launch& launch) {
  const auto refused = refusals(permissions, able, *launch.attempt->spec, launch.role());
  if (refused.empty()) return {};
  return fail(Errc::Forbidden, refused.front().why);
}

Result<void> check_ports(const Launch& launch) {
  const std::vector<model::Port> ports = model::all_ports(launch.role());
  const std::vector<std::vector<int>>& given = launch.task().placement->ports;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    if (given.size() <= i || given[i].empty())
      return fail(Errc::Conflict, say::no_port_for({.label = ports[i].label}));
  }
  return {};
}

/// Containers have addresses on the network of their job, which is made when the first one starts.
void mark_addresses(const model::JobSpec& spec,
                    std::vector<model::Task>& tasks,
                    LocalLaunch& launch) {
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    model::Task& task = tasks[i];
    const model::RoleSpec& role = spec.roles[static_cast<std::size_t>(task.ref.role)];
    launch.peers.push_back(model::task_host(spec, task.ref));
    if (task.ref == launch.key.task) launch.number = i;
    if (task.placement && role.network == model::Network::Bridge)
      task.placement->address = fmt::format("{0}{1}{0}", kAddressMark, i);
  }
}

Surroundings surroundings(const Launch& launch, const Capabilities& able) {
  const model::JobSpec& spec = *launch.attempt->spec;
  Surroundings around;
  around.runtime = model::from_word<model::RuntimeKind>(able.runtime).value_or(around.runtime);
  around.tasks = launch.attempt->job.life.tasks;
  for (const model::Task& task : around.tasks) {
    const auto drawn = meeting_ports(task, spec.roles[static_cast<std::size_t>(task.ref.role)]);
    around.tf_ports.push_back(drawn ? std::optional(drawn->tensorflow) : std::nullopt);
    // All tasks are on one machine, so any port does that every task agrees on: the first one's.
    if (drawn && !around.master_port) around.master_port = drawn->master;
  }
  return around;
}

}  // namespace

Result<std::optional<RegistryLogin>> Resolver::login(const Launch& launch,
                                                     const Capabilities& able) const {
  // Without images nobody signs in, and nobody needs the file to be there.
  if (!able.images) return std::nullopt;
  if (launch.login_file) {
    TY_TRY(const std::string text, folders_.storage().read(*launch.login_file));
    const std::vector<std::string> lines = split(text, '\n');
    if (lines.size() < 3) {
      return fail(Errc::Invalid,
                  say::login_file_lines({.file = shorten(launch.login_file->named, 200)}));
    }
    RegistryLogin written{.server = std::string(trim(lines[0])),
                          .username = std::string(trim(lines[1])),
                          .password = Secret(std::string(trim(lines[2])))};
    return for_image_only(std::move(written), launch.role().image);
  }
  if (launch.login) return for_image_only(*launch.login, launch.role().image);
  const std::string registry = registry_of(launch.role().image);
  const auto kept = std::ranges::find(launch.logins, registry, &RegistryLogin::server);
  return kept == launch.logins.end() ? std::nullopt : std::optional(*kept);
}

Result<LocalLaunch> Resolver::resolve(const Launch& given, const Capabilities& able) const {
  TY_DO(check_permissions(permissions_, able, given));
  TY_DO(check_ports(given));
  const model::JobSpec& spec = *given.attempt->spec;
  const model::RoleSpec& role = given.role();
  LocalLaunch launch;
  launch.key = given.key;
  launch.role_name = role.name;
  launch.host_name = model::task_hostname(spec, given.key.job, given.key.task);
  launch.host_aliases = model::task_aliases(spec, given.key.job, given.key.task);
  launch.network = role.network;
  launch.image = role.image;
  launch.pull = role.pull;
  launch.resources = role.resources;
  launch.placement = *given.task().placement;
  launch.log_path = telemetry::log_path(data_dir_, given.key);
  launch.run_dir = run_folder(data_dir_, given.key);
  launch.stop_grace = spec.stop_grace;
  launch.deadline = given.deadline;
  launch.caps = role.caps;
  launch.run_as = spec.run_as;

  std::error_code ec;
  std::filesystem::create_directories(output_folder(data_dir_, given.key.job), ec);
  if (!ec)
    std::filesystem::create_directories(telemetry::job_logs_dir(data_dir_, given.key.job), ec);
  if (ec) return fail(disk_errc(ec.value()), say::job_folders_not_made({.why = ec.message()}));

  for (const Mount& mount : given.mounts) {
    TY_TRY(HostMount found, folders_.find(mount, given.key, launch.mounts.size()));
    launch.mounts.push_back(std::move(found));
  }
  TY_TRY(launch.registry, login(given, able));

  Surroundings around = surroundings(given, able);
  if (able.own_network) mark_addresses(spec, around.tasks, launch);
  if (!able.images) around.root = launch.run_dir;
  TaskWords words = task_words(given, around);
  launch.environment = std::move(words.environment);
  launch.command = std::move(words.command);
  launch.workdir = std::move(words.workdir);
  return launch;
}

}  // namespace ty::engine
