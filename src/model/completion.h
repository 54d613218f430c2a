#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "model/job.h"

/// The rules by which outcomes of tasks become the verdict over a job (job-model §6.1, steps 4 to
/// 8). Pure; steps 1 to 3 (restarts and policies) come before and are `JobProgress`'s.
namespace ty::model {

struct RoleTally {
  int total = 0;
  int succeeded = 0;
  int failed = 0;
  int stopped = 0;
  bool decider_succeeded = false;
  int ended() const { return succeeded + failed + stopped; }
  bool has_ended() const { return ended() == total; }
};

struct Tally {
  std::vector<RoleTally> roles;
  int succeeded = 0;
  bool fault_of_user = false;  ///< some task failed by class user or permanent
};

/// One pass over all tasks.
Tally tally(const JobSpec& spec, const std::vector<Task>& tasks);

/// Step 5: its decider succeeded, or enough of its tasks did. What its other tasks do no longer
/// matters.
bool is_done(const RoleSpec& role, const RoleTally& count);

struct Verdict {
  JobState as = JobState::Succeeded;  ///< or Failed
  std::string rule;                   ///< as in Decision::rule
  Message message;
  /// The failure is that of the task that ended last; otherwise (rules about the end of a role or
  /// of the job) it is the user's if any task failed so, else the platform's.
  bool by_task = false;
};

/// What the outcome just recorded for a task of `role` means. `was_done`: the role was done before
/// it; a failure of such a role's leftover tasks is no failure of the job.
std::optional<Verdict> judge(const JobSpec& spec,
                             const Tally& count,
                             std::size_t role,
                             bool was_done);

}  // namespace ty::model
