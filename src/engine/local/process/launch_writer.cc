#include "engine/local/process/launch_writer.h"

#include <fmt/format.h>
#include <linux/capability.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <map>

#include "base/text.h"
#include "engine/local/launch_text.h"
#include "engine/local/mounts/safe_path.h"
#include "engine/local/paths.h"
#include "engine/local/process/supervisor_words.h"
#include "engine/local/supervisor/launch_format.h"
#include "engine/messages.h"
#include "model/failure.h"

namespace ty::engine {
namespace {

namespace key = supervisor::key;
using model::Reason;

constexpr char kDefaultPath[] = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

bool is_folder(const std::string& path) {
  struct stat info;
  return ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

bool exists(const std::string& path) {
  struct stat info;
  return ::stat(path.c_str(), &info) == 0;
}

bool is_inside(std::string_view path, std::string_view folder) {
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

/// What the command is after its shell is chosen: argv, and the script file it reads.
struct Words {
  std::vector<std::string> argv;
  std::string script;
};

Words command_words(const ProcessSetup& setup,
                    const LocalLaunch& launch,
                    const std::string& script_path) {
  const model::Command& command = launch.command;
  Words words;
  if (command.shell == model::Shell::None) {
    words.argv = command.argv;
    words.argv.insert(words.argv.end(), command.args.begin(), command.args.end());
    return words;
  }
  const bool is_bash = command.shell == model::Shell::Bash ||
                       (command.shell == model::Shell::BashOrSh && !setup.bash.empty());
  const std::string shell = is_bash ? (setup.bash.empty() ? "bash" : setup.bash) : "/bin/sh";
  words.argv = shell_words(command, shell, is_bash, script_path);
  words.script = script_text(command);
  return words;
}

std::map<std::string, std::string> variables(const ProcessSetup& setup, const LocalLaunch& launch) {
  std::map<std::string, std::string> all = {
      {"PATH", kDefaultPath}, {"HOME", launch.run_dir}, {"LANG", "C.UTF-8"}, {"SHELL", "/bin/sh"}};
  if (!launch.host_name.empty()) all["HOSTNAME"] = launch.host_name;
  for (const auto* layer : {&launch.environment.soft, &launch.environment.platform}) {
    for (const auto& [name, value] : *layer) all[name] = value;
  }
  // A number would mean another device once the others are out of sight, and CUDA counts in an
  // order of its own; a name means one device whatever the order.
  if (const auto uuids = granted_uuids(setup.gpus, launch.placement); !uuids.empty())
    all["CUDA_VISIBLE_DEVICES"] = join(uuids, ",");
  return all;
}

/// Where the task starts: what was asked for, seen through the mounts; else the code; else `work`.
std::string working_directory(const LocalLaunch& launch, ProcessPlan& plan) {
  const HostMount* code = nullptr;
  for (const HostMount& mount : launch.mounts) {
    if (mount.kind == model::MountKind::Code && code == nullptr) code = &mount;
  }
  std::string standard;
  if (code != nullptr) {
    standard = process_path(launch.run_dir, *code);
  } else {
    standard = launch.run_dir + "/work";
    plan.needs_work_folder = true;
  }
  if (!launch.workdir || launch.workdir->empty()) return standard;
  for (const HostMount& mount : launch.mounts) {
    if (is_inside(*launch.workdir, mount.target))
      return process_path(launch.run_dir, *launch.workdir);
  }
  if (is_inside(*launch.workdir, launch.run_dir) || is_folder(*launch.workdir))
    return *launch.workdir;
  plan.warnings.push_back(say::workdir_not_here({.path = *launch.workdir, .instead = standard}));
  return standard;
}

std::expected<void, model::Ending> plan_mounts(const ProcessSetup& setup,
                                               const LocalLaunch& launch,
                                               ProcessPlan& plan,
                                               LaunchText& text,
                                               std::vector<std::string>& bwrap) {
  std::vector<const HostMount*> mounts;
  for (const HostMount& mount : launch.mounts) mounts.push_back(&mount);
  // Outer folders before those inside them.
  std::sort(mounts.begin(), mounts.end(), [](auto* a, auto* b) { return a->target < b->target; });
  for (const HostMount* mount : mounts) {
    if (!exists(mount->host_path)) {
      const bool is_code = mount->kind == model::MountKind::Code;
      return std::unexpected(model::fault(
          is_code ? Reason::CodeFailed : Reason::DataFailed,
          say::mount_source_missing({.path = mount->host_path, .target = mount->target}),
          true));
    }
    const std::string at = process_path(launch.run_dir, *mount);
    if (mount->private_copy) {
      plan.copies.push_back({mount->host_path, at});
      continue;
    }
    if (setup.isolation == Isolation::None) {
      plan.links.emplace_back(at, mount->host_path);
      continue;
    }
    plan.mount_points.emplace_back(at, is_folder(mount->host_path));
    if (setup.isolation == Isolation::Namespaces) {
      text.add(mount->read_only ? key::kReadOnly : key::kReadWrite, mount->host_path);
      text.add(key::kAt, at);
    } else {
      bwrap.insert(bwrap.end(), {mount->read_only ? "--ro-bind" : "--bind", mount->host_path, at});
      Fd folder;
      if (mount->is_shared)
        plan.mounted.push_back(identity_of(mount->host_path, folder) + " " + at);
    }
  }
  return {};
}

std::expected<void, model::Ending> plan_user(const ProcessSetup& setup,
                                             const LocalLaunch& launch,
                                             ProcessPlan& plan,
                                             LaunchText& text) {
  if (!launch.run_as) return {};
  const model::RunAs& who = *launch.run_as;
  std::int64_t uid = who.uid.value_or(-1);
  std::int64_t gid = who.gid.value_or(-1);
  if (uid < 0 || gid < 0) {
    passwd entry = {};
    passwd* found = nullptr;
    char buffer[4096];
    if (uid >= 0) {
      ::getpwuid_r(static_cast<uid_t>(uid), &entry, buffer, sizeof(buffer), &found);
    } else {
      ::getpwnam_r(who.user.c_str(), &entry, buffer, sizeof(buffer), &found);
    }
    if (found == nullptr && uid < 0) {
      return std::unexpected(
          model::fault(Reason::BadSpec, say::no_such_machine_user({.name = shorten(who.user)})));
    }
    if (uid < 0) uid = found->pw_uid;
    if (gid < 0) gid = found != nullptr ? static_cast<std::int64_t>(found->pw_gid) : uid;
  }
  if (!setup.is_root) {
    if (uid != static_cast<std::int64_t>(::getuid())) {
      plan.warnings.push_back(say::runs_as_server_user());
    }
    return {};
  }
  text.add(key::kUid, uid);
  text.add(key::kGid, gid);
  plan.owner = {uid, gid};
  return {};
}

/// The devices of the GPUs it was given, and those that every GPU program needs.
std::vector<std::string> gpu_devices(const ProcessSetup& setup, const LocalLaunch& launch) {
  std::vector<std::string> devices;
  if (launch.placement.gpus.empty()) return devices;
  for (const char* name : {"nvidiactl", "nvidia-uvm", "nvidia-uvm-tools", "nvidia-modeset"}) {
    devices.push_back(fmt::format("/dev/{}", name));
  }
  for (const int index : launch.placement.gpus) {
    const auto at = static_cast<std::size_t>(index);
    if (at < setup.gpus.size() && setup.gpus[at].minor >= 0)
      devices.push_back(fmt::format("/dev/nvidia{}", setup.gpus[at].minor));
  }
  std::erase_if(devices, [](const std::string& path) { return !exists(path); });
  return devices;
}

/// The machine's file system without its secrets: what bubblewrap is told.
std::vector<std::string> bwrap_words(const ProcessSetup& setup, const LocalLaunch& launch) {
  std::vector<std::string> words = {setup.bwrap,
                                    "--unshare-user",
                                    "--unshare-pid",
                                    "--unshare-ipc",
                                    "--unshare-uts",
                                    "--hostname",
                                    launch.host_name,
                                    "--ro-bind",
                                    "/",
                                    "/",
                                    "--proc",
                                    "/proc",
                                    "--dev",
                                    "/dev",
                                    "--tmpfs",
                                    "/tmp",
                                    "--tmpfs",
                                    setup.data_dir,
                                    "--bind",
                                    launch.run_dir,
                                    launch.run_dir,
                                    "--die-with-parent",
                                    "--new-session"};
  if (launch.host_name.empty()) words.erase(words.begin() + 5, words.begin() + 7);
  for (const std::string& device : gpu_devices(setup, launch))
    words.insert(words.end(), {"--dev-bind", device, device});
  return words;
}

}  // namespace

std::vector<std::string> granted_uuids(const std::vector<Gpu>& gpus,
                                       const model::Placement& placement) {
  std::vector<std::string> uuids;
  for (const int index : placement.gpus) {
    const auto at = static_cast<std::size_t>(index);
    if (at < gpus.size() && !gpus[at].uuid.empty()) uuids.push_back(gpus[at].uuid);
  }
  return uuids;
}

std::string cgroup_name(const model::TaskKey& key) { return key.job.str() + "." + try_name(key); }

std::uint64_t kept_capabilities(const std::vector<std::string>& words) {
  const auto bit = [](int cap) { return std::uint64_t{1} << cap; };
  // What installing, building and serving needs. Not among them: raw devices, other namespaces, the
  // kernel's settings, and SYS_PTRACE, which would open the supervisor; debuggers reach the task's
  // own processes without it.
  std::uint64_t keep = bit(CAP_CHOWN) | bit(CAP_DAC_OVERRIDE) | bit(CAP_FOWNER) | bit(CAP_FSETID) |
                       bit(CAP_KILL) | bit(CAP_SETGID) | bit(CAP_SETUID) | bit(CAP_SETPCAP) |
                       bit(CAP_SETFCAP) | bit(CAP_NET_BIND_SERVICE) | bit(CAP_SYS_CHROOT) |
                       bit(CAP_AUDIT_WRITE);
  for (const std::string& word : words) {
    if (word == "ipc_lock") keep |= bit(CAP_IPC_LOCK);
    if (word == "sys_admin") keep |= bit(CAP_SYS_ADMIN);
    if (word == "net_admin") keep |= bit(CAP_NET_ADMIN) | bit(CAP_NET_RAW);
  }
  return keep;
}

std::expected<ProcessPlan, model::Ending> plan_process(const ProcessSetup& setup,
                                                       const LocalLaunch& launch,
                                                       std::int64_t ticket) {
  if (launch.command.shell == model::Shell::None && launch.command.argv.empty()) {
    return std::unexpected(model::fault(Reason::BadSpec, say::process_without_command()));
  }
  ProcessPlan plan;
  LaunchText text;
  std::vector<std::string> bwrap = bwrap_words(setup, launch);
  if (auto ok = plan_mounts(setup, launch, plan, text, bwrap); !ok)
    return std::unexpected(ok.error());
  if (auto ok = plan_user(setup, launch, plan, text); !ok) return std::unexpected(ok.error());

  const auto env = variables(setup, launch);
  const std::string script_path = launch.run_dir + "/command.sh";
  const Words words = command_words(setup, launch, script_path);
  if (launch.command.shell != model::Shell::None)
    plan.files.emplace_back(script_path, words.script);
  for (const auto& [path, content] : launch.environment.files) {
    plan.files.emplace_back(process_path(launch.run_dir, path), content);
  }

  if (setup.isolation == Isolation::Bubblewrap) {
    if (find_program(words.argv[0], env.at("PATH")).empty()) {
      return std::unexpected(model::fault(
          Reason::CommandNotFound, say::program_not_in_path({.name = shorten(words.argv[0])})));
    }
    // It opens the folders by their paths; inside of it our own program looks what became of them.
    if (!plan.mounted.empty())
      bwrap.insert(bwrap.end(), {"--ro-bind", setup.supervisor, setup.supervisor});
    bwrap.push_back("--");
    if (!plan.mounted.empty()) {
      bwrap.insert(bwrap.end(), {setup.supervisor, supervisor::kCheckedCommand});
      bwrap.insert(bwrap.end(), plan.mounted.begin(), plan.mounted.end());
      bwrap.push_back("--");
    }
    for (const std::string& word : bwrap) text.add(key::kArg, word);
  }
  for (const std::string& word : words.argv) text.add(key::kArg, word);
  for (const auto& [name, value] : env) text.add(key::kEnv, name + "=" + value);
  text.add(key::kWorkdir, working_directory(launch, plan));
  text.add(key::kLog, launch.log_path);
  text.add(key::kRunDir, launch.run_dir);
  if (launch.log_limit > 0) text.add(key::kLogLimit, launch.log_limit);
  text.add(key::kTicket, ticket);
  text.add(key::kGrace, std::max<std::int64_t>(launch.stop_grace.count(), 0));
  if (launch.deadline)
    text.add(key::kDeadline, std::max<std::int64_t>(to_millis(*launch.deadline), 1));

  switch (setup.isolation) {
    case Isolation::Namespaces:
      text.add(key::kSandbox, "namespaces");
      if (!launch.host_name.empty()) text.add(key::kHostName, launch.host_name.substr(0, 64));
      for (const char* path : {"/tmp", "/var/tmp"}) {
        if (is_folder(path)) text.add(key::kScratch, path);
      }
      text.add(key::kHide, setup.data_dir);
      // Sockets of the machine's own services live there: a container daemon's would give the
      // machine away. Name resolution may live there, too.
      text.add(key::kHide, "/run");
      if (is_folder("/run/systemd/resolve")) {
        text.add(key::kReadOnly, "/run/systemd/resolve");
        text.add(key::kAt, "/run/systemd/resolve");
      }
      if (!setup.dev_dir.empty()) {
        text.add(key::kDev, setup.dev_dir);
        for (const std::string& device : gpu_devices(setup, launch)) {
          text.add(key::kReadWrite, device);
          text.add(key::kAt, device);
        }
      }
      break;
    case Isolation::Bubblewrap:
      text.add(key::kSandbox, "bubblewrap");
      break;
    default:
      text.add(key::kSandbox, "none");
      break;
  }
  if (setup.is_root)
    text.add(key::kKeepCaps, static_cast<std::int64_t>(kept_capabilities(launch.caps)));

  const model::Resources& resources = launch.resources;
  if (resources.shm > 0) text.add(key::kShm, resources.shm);
  if (resources.memory > 0) text.add(key::kMemory, resources.memory);
  if (resources.cpu_milli > 0) text.add(key::kCpuMilli, resources.cpu_milli);
  if (setup.max_processes > 0) text.add(key::kProcesses, setup.max_processes);
  for (const auto& hierarchy : setup.cgroups.hierarchies()) {
    text.add(hierarchy.key, hierarchy.folder + "/" + cgroup_name(launch.key));
  }
  // Counts what a process may allocate, not what it uses; a GPU driver reserves far more than that.
  if (resources.memory > 0 && resources.gpus == 0) text.add(key::kDataLimit, resources.memory);
  for (const Message& warning : plan.warnings) text.add(key::kWarning, carried(warning));
  plan.launch_text = std::move(text).finish();
  return plan;
}

}  // namespace ty::engine
