#include "engine/local/process/process_runtime.h"

#include "engine/local/paths.h"
#include "engine/local/process/journal.h"
#include "engine/local/process/launch_writer.h"
#include "engine/local/process/run_folder.h"
#include "engine/local/process/spawn.h"
#include "engine/local/process/sweep.h"
#include "engine/local/supervisor/launch_format.h"

namespace ty::engine {

Result<std::expected<Fd, model::Ending>> ProcessRuntime::begin(const LocalLaunch& launch,
                                                               std::int64_t ticket,
                                                               int notify_fd) {
  auto plan = plan_process(setup_, launch, ticket);
  if (!plan) return std::expected<Fd, model::Ending>(std::unexpect, std::move(plan).error());
  TY_DO(make_run_folder(launch, *plan, recycler_));
  const bool own_namespace = setup_.isolation == Isolation::Namespaces;
  TY_TRY(Spawned spawned,
         spawn_supervisor(setup_.supervisor, launch.run_dir, own_namespace, notify_fd));
  return std::move(spawned.pidfd);
}

UsageReader ProcessRuntime::usage_reader(const model::TaskKey& key, pid_t) {
  // Its supervisor stays outside of the task's cgroups.
  UsageReader reader;
  for (const CgroupTree::Hierarchy& hierarchy : setup_.cgroups.hierarchies()) {
    namespace field = supervisor::key;
    const bool is_v2 = hierarchy.key == field::kCgroup2;
    const UsageReader::Group group{hierarchy.folder + "/" + cgroup_name(key), is_v2};
    if (is_v2 || hierarchy.key == field::kCgroupCpuacct) reader.cpu = group;
    if (is_v2 || hierarchy.key == field::kCgroupMemory) reader.memory = group;
    if (is_v2 || hierarchy.key == field::kCgroupPids) reader.processes = group;
    if (is_v2) reader.disk = group;
  }
  return reader;
}

Result<void> ProcessRuntime::remove(const model::TaskKey& key) {
  const std::string run_dir = run_folder(setup_.data_dir, key);
  // A supervisor that told the end removes its cgroups itself, at this moment perhaps.
  if (!read_journal(run_dir).is_over()) setup_.cgroups.remove(cgroup_name(key));
  return recycler_.remove(run_dir);
}

void ProcessRuntime::sweep(const std::set<model::TaskKey>& wanted) {
  std::set<std::string> folders;
  for (const model::TaskKey& key : wanted) folders.insert(run_folder(setup_.data_dir, key));
  engine::sweep(setup_.data_dir, setup_.cgroups, folders, recycler_);
}

void ProcessRuntime::close(bool is_idle) {
  if (is_idle) setup_.cgroups.remove_own();
}

}  // namespace ty::engine
