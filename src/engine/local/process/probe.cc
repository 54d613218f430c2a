#include "engine/local/process/probe.h"

#include <poll.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#include "engine/local/machine.h"
#include "engine/local/paths.h"
#include "engine/local/process/journal.h"
#include "engine/local/process/launch_writer.h"
#include "engine/local/process/run_folder.h"
#include "engine/local/process/spawn.h"
#include "engine/local/supervisor_image.h"
#include "engine/messages.h"

namespace ty::engine {
namespace {

constexpr char kServerPath[] = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
constexpr int kPatienceMs = 10'000;

/// Runs `true` exactly as a task would run; the warnings it caused, or why it did not work.
Result<std::vector<Message>> try_out(const ProcessSetup& setup, Recycler& recycler) {
  LocalLaunch launch;
  launch.key.job = JobId("probe-" + std::to_string(::getpid()));
  launch.host_name = "probe";
  launch.command.argv = {"true"};
  launch.resources.cpu_milli = 1000;
  launch.resources.memory = 64 << 20;
  launch.resources.shm = 1 << 20;
  launch.run_dir = run_folder(setup.data_dir, launch.key);
  launch.log_path = launch.run_dir + "/work/log";
  TY_DO(recycler.remove(launch.run_dir));
  auto plan = plan_process(setup, launch, 0);
  if (!plan) return fail(Errc::Unavailable, plan.error().message);
  TY_DO(make_run_folder(launch, *plan, recycler));
  auto spawned = spawn_supervisor(
      setup.supervisor, launch.run_dir, setup.isolation == Isolation::Namespaces, -1);
  JournalFacts facts;
  if (spawned) {
    pollfd ready = {spawned->pidfd.get(), POLLIN, 0};
    if (::poll(&ready, 1, kPatienceMs) <= 0) ::kill(spawned->pid, SIGKILL);
    siginfo_t info;
    ::waitid(P_PIDFD, static_cast<id_t>(spawned->pidfd.get()), &info, WEXITED);
    facts = read_journal(launch.run_dir);
  }
  setup.cgroups.remove(cgroup_name(launch.key));
  TY_DO(recycler.remove(launch.run_dir));
  if (!spawned) return std::unexpected(std::move(spawned).error());
  if (facts.failed) return fail(Errc::Unavailable, facts.failed->message);
  if (!facts.ended) return fail(Errc::Timeout, say::trial_task_hung());
  if (facts.ended->exit_code != 0) return fail(Errc::Unavailable, say::trial_task_failed());
  return facts.warnings;
}

bool is_full(const std::string& folder) {
  struct statvfs found{};
  constexpr std::uint64_t kTrialNeeds = 256 * 1024;
  return ::statvfs(folder.c_str(), &found) == 0 && found.f_blocks > 0 &&
         found.f_bavail * found.f_frsize < kTrialNeeds;
}

std::vector<Isolation> candidates(const LocalOptions& options, const ProcessSetup& setup) {
  if (options.isolation != Isolation::Auto) return {options.isolation};
  std::vector<Isolation> all;
  if (setup.is_root) all.push_back(Isolation::Namespaces);
  if (!setup.bwrap.empty()) all.push_back(Isolation::Bubblewrap);
  all.push_back(Isolation::None);
  return all;
}

}  // namespace

Result<Probed> probe_machine(const LocalOptions& options, Recycler& recycler) {
  if (!options.data_dir.starts_with('/')) {
    return fail(Errc::Invalid, say::data_dir_not_absolute({.path = options.data_dir}));
  }
  Probed probed;
  ProcessSetup& setup = probed.setup;
  Capabilities& able = probed.capabilities;
  setup.data_dir = options.data_dir;
  setup.is_root = ::geteuid() == 0;
  setup.max_processes = options.max_processes;
  setup.bwrap = find_program("bwrap", kServerPath);
  setup.bash = find_program("bash", kServerPath);
  if (options.limits) {
    setup.cgroups =
        CgroupTree::open("trainyard-" + owner_mark(options.data_dir),
                         options.cpu_milli > 0 ? options.cpu_milli : machine_cpu_milli());
  }
  auto unpacked = unpack_supervisor(options.data_dir + "/bin");
  if (!unpacked) return std::unexpected(std::move(unpacked).error());
  setup.supervisor = *std::move(unpacked);
  if (setup.is_root && make_device_folder(options.data_dir + "/dev"))
    setup.dev_dir = options.data_dir + "/dev";

  able.runtime = "process";
  able.host_ports = true;
  able.warnings.push_back(say::tasks_are_processes());
  Message why_not;
  for (const Isolation isolation : candidates(options, setup)) {
    setup.isolation = isolation;
    auto warnings = try_out(setup, recycler);
    if (!warnings && is_full(options.data_dir)) {
      // A trial that had no space says nothing about the machine. The strongest is taken, untried:
      // who fills the disk before a restart must not win a weaker one.
      able.warnings.push_back(say::isolation_not_tried());
      warnings.emplace();
    }
    if (!warnings) {
      why_not = warnings.error().message;
      if (isolation == Isolation::None || options.isolation != Isolation::Auto) {
        return std::unexpected(
            std::move(warnings).error().with_context(say::machine_runs_no_tasks()));
      }
      continue;
    }
    able.isolation = isolation != Isolation::None;
    able.limits = warnings->empty();
    able.warnings.insert(able.warnings.end(), warnings->begin(), warnings->end());
    if (isolation == Isolation::None) {
      able.warnings.push_back(why_not.empty()
                                  ? say::tasks_not_isolated()
                                  : say::tasks_not_isolated_because({.why = std::move(why_not)}));
    } else if (isolation == Isolation::Namespaces && setup.dev_dir.empty()) {
      able.warnings.push_back(say::tasks_reach_devices());
    }
    return probed;
  }
  return fail(Errc::Internal, say::no_isolation_tried());
}

}  // namespace ty::engine
