#include "engine/local/docker/container_plan.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <boost/json.hpp>
#include <charconv>
#include <map>

#include "base/text.h"
#include "engine/local/launch_text.h"
#include "engine/local/mounts/safe_path.h"
#include "engine/local/paths.h"
#include "engine/local/process/supervisor_words.h"
#include "engine/local/supervisor/launch_format.h"
#include "engine/messages.h"
#include "model/failure.h"

namespace ty::engine::docker {
namespace {

namespace json = boost::json;
namespace key = supervisor::key;
using model::Reason;

constexpr char kDefaultPath[] = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

bool exists(const std::string& path) {
  struct stat info;
  return ::stat(path.c_str(), &info) == 0;
}

model::Ending missing(const HostMount& mount) {
  const bool is_code = mount.kind == model::MountKind::Code;
  return model::fault(is_code ? Reason::CodeFailed : Reason::DataFailed,
                      say::mount_source_missing({.path = mount.host_path, .target = mount.target}),
                      true);
}

/// Docker opens the path later, following whatever lies there by then. The supervisor compares what
/// it got with what this was, before the task sees it (supervisor/mount_check.h).
bool expect_folder(const HostMount& mount, ContainerPlan& plan, LaunchText& text) {
  Fd folder;
  const std::string identity = identity_of(mount.host_path, folder);
  if (identity.empty()) return false;
  text.add(key::kMounted, identity + " " + mount.target);
  plan.folders.push_back(std::move(folder));
  return true;
}

/// Whether another mount lies inside of this one: then nothing that is mounted below the folder
/// itself comes along, which could be taken for the other.
bool holds_another(const HostMount& mount, const std::vector<HostMount>& all) {
  return std::ranges::any_of(
      all, [&](const HostMount& other) { return other.target.starts_with(mount.target + "/"); });
}

json::object bind_mount(std::string_view from, std::string_view to, bool read_only) {
  return {{"Type", "bind"}, {"Source", from}, {"Target", to}, {"ReadOnly", read_only}};
}

/// The image's own variables go over the soft ones, the platform's over both.
std::map<std::string, std::string> variables(const LocalLaunch& launch, const Image& image) {
  std::map<std::string, std::string> all = {{"PATH", kDefaultPath}};
  for (const auto& [name, value] : launch.environment.soft) all[name] = value;
  for (const std::string& entry : image.env) {
    const std::size_t equals = entry.find('=');
    if (equals != std::string::npos) all[entry.substr(0, equals)] = entry.substr(equals + 1);
  }
  for (const auto& [name, value] : launch.environment.platform) all[name] = value;
  return all;
}

std::expected<void, model::Ending> plan_command(const LocalLaunch& launch,
                                                const Image& image,
                                                ContainerPlan& plan,
                                                LaunchText& text) {
  const model::Command& command = launch.command;
  const bool keeps = command.entrypoint == model::Entrypoint::Keep;
  const auto add = [&](const std::vector<std::string>& words, const char* name = key::kArg) {
    for (const std::string& word : words) text.add(name, word);
  };
  if (command.shell == model::Shell::None) {
    const std::vector<std::string>& own = command.argv.empty() ? image.command : command.argv;
    const std::vector<std::string> entry = keeps ? image.entrypoint : std::vector<std::string>{};
    if (entry.empty() && own.empty() && command.args.empty()) {
      return std::unexpected(model::fault(
          Reason::BadSpec, say::image_without_command({.image = shorten(launch.image)})));
    }
    add(entry);
    if (command.argv.empty() && !command.args.empty()) {
      add(command.args);  // as with Docker, arguments take the place of the image's own
    } else {
      add(own);
      add(command.args);
    }
    return {};
  }
  plan.files.emplace_back("command.sh", script_text(command));
  const std::string script = supervisor::kContainerScript;
  if (keeps) add(image.entrypoint);
  text.add(key::kShell, 1);
  switch (command.shell) {
    case model::Shell::Sh:
      add(shell_words(command, "/bin/sh", false, script));
      break;
    case model::Shell::Bash:
      add(shell_words(command, "bash", true, script));
      break;
    default:
      add(shell_words(command, "bash", true, script));
      // Which of them the image has, only its own PATH tells.
      add(shell_words(command, "/bin/sh", false, script), key::kElseArg);
  }
  return {};
}

std::expected<json::array, model::Ending> plan_mounts(const LocalLaunch& launch,
                                                      ContainerPlan& plan,
                                                      LaunchText& text) {
  const std::string ctl = launch.run_dir + supervisor::kControlSuffix;
  json::array mounts = {bind_mount(ctl, supervisor::kContainerFolder, true)};
  std::vector<std::string> folders;
  for (const auto& [path, content] : launch.environment.files) {
    const std::size_t slash = path.find('/');
    const std::string folder = slash == std::string::npos ? "trainyard" : path.substr(0, slash);
    const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
    plan.files.emplace_back("etc/" + folder + "/" + name, content);
    if (std::ranges::find(folders, folder) == folders.end()) folders.push_back(folder);
  }
  for (const std::string& folder : folders)
    mounts.push_back(bind_mount(ctl + "/etc/" + folder, "/etc/" + folder, true));

  // Writable: people add hosts of their own.
  if (const auto& ssh = launch.environment.ssh)
    mounts.push_back(bind_mount(ssh_folder(launch), ssh->path, false));

  int copies = 0;
  for (const HostMount& mount : launch.mounts) {
    if (!exists(mount.host_path)) return std::unexpected(missing(mount));
    std::string from = mount.host_path;
    if (mount.private_copy) {
      from = fmt::format("{}/copy{}", launch.run_dir, copies++);
      plan.copies.push_back({mount.host_path, from});
    } else if (mount.is_shared && !expect_folder(mount, plan, text)) {
      return std::unexpected(missing(mount));
    }
    mounts.push_back(bind_mount(from, mount.target, mount.read_only && !mount.private_copy));
    if (holds_another(mount, launch.mounts))
      mounts.back().as_object()["BindOptions"] = json::object{{"NonRecursive", true}};
  }
  return mounts;
}

/// What installing, building and serving needs, and what the job was allowed beyond that. `ptrace`
/// adds nothing: a task traces its own processes without, and SYS_PTRACE would open the supervisor,
/// who says how the task ended.
json::array capabilities(const LocalLaunch& launch) {
  json::array kept = {"CHOWN",
                      "DAC_OVERRIDE",
                      "FOWNER",
                      "FSETID",
                      "KILL",
                      "SETGID",
                      "SETUID",
                      "SETPCAP",
                      "SETFCAP",
                      "NET_BIND_SERVICE",
                      "SYS_CHROOT",
                      "AUDIT_WRITE"};
  for (const std::string& word : launch.caps) {
    if (word == "ipc_lock") kept.emplace_back("IPC_LOCK");
    if (word == "sys_admin") kept.emplace_back("SYS_ADMIN");
    if (word == "net_admin") kept.insert(kept.end(), {"NET_ADMIN", "NET_RAW"});
  }
  return kept;
}

/// `nofile=1024:2048` → what Docker calls it. Settings were checked when they were read.
json::array ulimits(const ContainerSetup& setup, const LocalLaunch& launch) {
  json::array all;
  const auto add = [&](std::string_view name, std::int64_t soft, std::int64_t hard) {
    all.push_back(json::object{{"Name", name}, {"Soft", soft}, {"Hard", hard}});
  };
  for (const std::string& entry : setup.ulimits) {
    const auto parts = split(entry, '=');
    if (parts.size() != 2) continue;
    const auto numbers = split(parts[1], ':');
    std::int64_t soft = 0;
    std::int64_t hard = 0;
    std::from_chars(numbers[0].data(), numbers[0].data() + numbers[0].size(), soft);
    const std::string& last = numbers.back();
    std::from_chars(last.data(), last.data() + last.size(), hard);
    add(parts[0], soft, hard);
  }
  if (std::ranges::find(launch.caps, "ipc_lock") != launch.caps.end()) add("memlock", -1, -1);
  return all;
}

std::string working_directory(const LocalLaunch& launch, const Image& image) {
  if (launch.workdir && !launch.workdir->empty()) return *launch.workdir;
  for (const HostMount& mount : launch.mounts) {
    if (mount.kind == model::MountKind::Code) return mount.target;
  }
  return image.workdir.empty() ? "/" : image.workdir;
}

std::string user_of(const LocalLaunch& launch, const Image& image) {
  if (!launch.run_as) return image.user.empty() ? "0" : image.user;
  const model::RunAs& who = *launch.run_as;
  const std::string user = who.uid ? fmt::to_string(*who.uid) : who.user;
  return who.gid ? fmt::format("{}:{}", user, *who.gid) : user;
}

}  // namespace

std::string ssh_folder(const LocalLaunch& launch) { return launch.run_dir + "/ssh"; }

std::string container_name(const model::TaskKey& key) { return "ty-" + cgroup_name(key); }

std::expected<ContainerPlan, model::Ending> plan_container(const ContainerSetup& setup,
                                                           const LocalLaunch& launch,
                                                           const Image& image,
                                                           const std::string& network,
                                                           const std::vector<Message>& warnings,
                                                           std::int64_t ticket) {
  if (!image.architecture.empty() && image.architecture != own_architecture()) {
    return std::unexpected(
        model::fault(Reason::ImageMissing,
                     say::image_for_another_machine({.image = shorten(launch.image),
                                                     .theirs = image.architecture,
                                                     .ours = own_architecture()})));
  }
  ContainerPlan plan;
  LaunchText text;
  if (auto ok = plan_command(launch, image, plan, text); !ok) return std::unexpected(ok.error());
  auto mounts = plan_mounts(launch, plan, text);
  if (!mounts) return std::unexpected(std::move(mounts).error());

  auto env = variables(launch, image);
  const std::vector<std::string> uuids = granted_uuids(setup.gpus, launch.placement);
  if (!uuids.empty()) env["NVIDIA_VISIBLE_DEVICES"] = join(uuids, ",");
  const std::string workdir = working_directory(launch, image);
  for (const auto& [name, value] : env) text.add(key::kEnv, name + "=" + value);
  text.add(key::kWorkdir, workdir);
  text.add(key::kRunDir, supervisor::kContainerRun);
  if (launch.log_limit > 0) text.add(key::kLogLimit, launch.log_limit);
  text.add(key::kTicket, ticket);
  text.add(key::kGrace, std::max<std::int64_t>(launch.stop_grace.count(), 0));
  text.add(key::kSandbox, "container");
  text.add(key::kUser, user_of(launch, image));
  if (const auto& ssh = launch.environment.ssh) text.add(key::kOwn, ssh->path);
  if (launch.deadline)
    text.add(key::kDeadline, std::max<std::int64_t>(to_millis(*launch.deadline), 1));

  for (const Message& warning : warnings) text.add(key::kWarning, carried(warning));

  const model::Resources& resources = launch.resources;
  if (resources.memory > 0) text.add(key::kMemory, resources.memory);
  plan.launch_text = std::move(text).finish();

  json::object host = {
      {"Mounts", *std::move(mounts)},
      {"NetworkMode", network},
      {"CapDrop", json::array{"ALL"}},
      {"CapAdd", capabilities(launch)},
      {"SecurityOpt", json::array{"no-new-privileges"}},
      {"LogConfig", json::object{{"Type", "none"}}},
      {"RestartPolicy", json::object{{"Name", "no"}}},
      {"Init", false},
  };
  if (setup.max_processes > 0) host["PidsLimit"] = setup.max_processes;
  if (resources.cpu_milli > 0) {
    // Not NanoCpus: those Docker refuses where a site shares out more than the machine has.
    host["CpuPeriod"] = 100'000;
    host["CpuQuota"] = std::max<std::int64_t>(resources.cpu_milli * 100, 1000);
  }
  if (resources.shm > 0) host["ShmSize"] = resources.shm;
  if (resources.memory > 0) {
    host["Memory"] = resources.memory;
    if (setup.can_limit_swap) host["MemorySwap"] = resources.memory;  // both together: no swap
  }
  if (json::array limits = ulimits(setup, launch); !limits.empty())
    host["Ulimits"] = std::move(limits);
  if (const auto devices = device_requests(setup.gpu_access, setup.gpus, launch.placement);
      !devices.empty()) {
    host["DeviceRequests"] = json::parse(devices);
  }

  json::object body = {
      {"Image", image.id.empty() ? launch.image : image.id},
      {"User", "0:0"},  // the supervisor; the command gets its own
      {"Entrypoint", json::array{supervisor::kContainerSupervisor, supervisor::kContainerRun}},
      {"Cmd", json::array{}},
      {"WorkingDir", workdir},
      {"Labels",
       json::object{{kOwnerLabel, setup.owner},
                    {kServerLabel, setup.server},
                    {kTaskLabel, cgroup_name(launch.key)}}},
      {"StopSignal", "SIGTERM"},
  };
  // Nobody reads what the image's own check finds, and it takes the task's CPU.
  if (image.has_health_check) body["Healthcheck"] = json::object{{"Test", json::array{"NONE"}}};
  // What a GPU runtime that is Docker's default goes by; images of CUDA ask for all. "void" keeps
  // it out, as it must be where the GPUs are made up or named to Docker as CDI devices.
  const bool is_named = uuids.empty() || setup.gpu_access.way == GpuAccess::Way::Cdi;
  body["Env"] = json::array{"NVIDIA_VISIBLE_DEVICES=" + (is_named ? "void" : join(uuids, ","))};
  if (network != "host") {
    body["Hostname"] = launch.host_name.substr(0, 63);
    json::array aliases;
    for (const std::string& alias : launch.host_aliases) aliases.emplace_back(alias);
    json::object endpoints;
    json::object endpoint = {{"Aliases", std::move(aliases)}};
    if (!launch.address.empty())
      endpoint["IPAMConfig"] = json::object{{"IPv4Address", launch.address}};
    endpoints[network] = std::move(endpoint);
    body["NetworkingConfig"] = json::object{{"EndpointsConfig", std::move(endpoints)}};
  }
  body["HostConfig"] = std::move(host);
  plan.body = json::serialize(body);
  return plan;
}

}  // namespace ty::engine::docker
