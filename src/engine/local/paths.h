#pragma once
#include <string>
#include <string_view>

#include "engine/local/local_launch.h"
#include "model/job.h"

/// Where a task's things lie on this machine; pure.
namespace ty::engine {

/// Eight digits that mark what belongs to this data directory among the machine's cgroups,
/// containers and networks. A later build must find it again, so it is no `std::hash`.
std::string owner_mark(std::string_view data_dir);

/// `A.ROLE.I.T`: the name of a try in folders, logs and cgroups.
std::string try_name(const model::TaskKey& key);

/// `DIR/runs/ab/JOB/A.ROLE.I.T`: one try of one task.
std::string run_folder(std::string_view data_dir, const model::TaskKey& key);
/// `DIR/runs/ab/JOB`: all tries of all tasks of a job.
std::string job_runs(std::string_view data_dir, const JobId& job);
/// `DIR/outputs/ab/JOB`: what the tasks of a job leave behind.
std::string output_folder(std::string_view data_dir, const JobId& job);

/// Where a mount is found by a task of the process runtime. Absolute targets are not made on the
/// machine: the run folder takes the place of `/`, so `/code` is `<run_dir>/code`, `/data/imagenet`
/// is `<run_dir>/data/imagenet`; there they hold inside and outside the sandbox alike.
std::string process_path(std::string_view run_dir, std::string_view target);
inline std::string process_path(std::string_view run_dir, const HostMount& mount) {
  return process_path(run_dir, mount.target);
}

}  // namespace ty::engine
