#pragma once
#include <string>

#include "base/result.h"
#include "engine/local/process/launch_writer.h"
#include "engine/local/process/recycler.h"

namespace ty::engine {

/// Makes the run folder as planned, the launch file last and at once. Repeating it after a crash at
/// any point finishes the work. Copies may take long: call it where blocking is fine.
Result<void> make_run_folder(const LocalLaunch& launch,
                             const ProcessPlan& plan,
                             Recycler& recycler);

/// Whether the task of a run folder runs in a container: beside the folder then lies a `.ctl`,
/// which the container sees as /.trainyard and can not write.
bool is_contained(const std::string& run_dir);
/// What comes before `.launch`, `.deadline` and `.stop` in the names of a task's files.
std::string control_prefix(const std::string& run_dir, bool is_contained);

/// mkdir -p. `mode` is for the last folder.
Result<void> make_folder(const std::string& path, unsigned mode, unsigned parent_mode);
/// Replaces it; its folder is made if it is missing. Links are not followed.
Result<void> write_file(const std::string& path, std::string_view content, unsigned mode);
/// Keys of a task: nobody but its user may read them.
Result<void> write_ssh_folder(const std::string& path, const model::SshFolder& ssh);
/// The whole of `copy`, or nothing.
Result<void> copy_folder(const ProcessPlan::Copy& copy);

/// Reader sees the old file or the new one. No fsync: what it protects does not outlive the machine
/// being switched off.
Result<void> replace_small_file(const std::string& path, std::string_view content, unsigned mode);

}  // namespace ty::engine
