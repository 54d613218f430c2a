#pragma once
#include <string>

#include "cli/context.h"

namespace ty::cli {

struct Follow {
  std::string job;                   ///< id
  bool announce = false;             ///< say on stderr what it waits for and how it ended
  client::ReadJobLogsOptions query;  ///< which of its logs
};

/// Prints a job's log as it is written until the job has ended, through restarts of the server:
/// nothing is printed twice, nothing left out. Answers the job's exit code: 0, that of the deciding
/// task, 130 when cancelled. Ctrl-C leaves the job alone and tells how to come back.
int follow_job(Context& context, const Follow& follow);

}  // namespace ty::cli
