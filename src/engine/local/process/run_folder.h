#pragma once
#include <string>

#include "base/result.h"
#include "engine/local/process/launch_writer.h"
#include "engine/local/process/recycler.h"

namespace ty::engine {

/// Makes the run folder as planned, the launch file last and at once. Repeating it after a crash at
/// any point finishes the work. Copies may take long: call it where blocking is fine.
Result<void> make_run_folder(const Launch& launch, const ProcessPlan& plan, Recycler& recycler);

/// Reader sees the old file or the new one. No fsync: what it protects does not outlive the machine
/// being switched off.
Result<void> replace_small_file(const std::string& path, std::string_view content, unsigned mode);

}  // namespace ty::engine
