#pragma once
#include <cstdint>
#include <optional>

#include "model/job.h"

/// Whether a decided attempt is followed by another, and when (job-model §6.4). Pure.
namespace ty::model {

/// Which count of RetryCount another attempt adds to.
enum class RetryKind : std::uint8_t { Counted, Platform, Conflict, BeforeCommand };

struct RetryPlan {
  RetryKind kind = RetryKind::Counted;
  Seconds wait{0};
};

/// What the attempt came to.
struct AttemptEnd {
  bool succeeded = false;
  FailureClass failure = FailureClass::None;
  std::optional<int> exit_code;
  bool command_ran = true;  ///< some task's command began in this attempt
  bool by_policy = false;   ///< a policy asks for the restart: then `Retry::on` does not matter
};

/// nullopt: the job ends here. `seed` draws the wait after a conflict: the same seed and history,
/// the same wait.
std::optional<RetryPlan> plan_retry(const Retry& retry,
                                    const RetryCount& so_far,
                                    const AttemptEnd& end,
                                    std::uint64_t seed);

/// The wait before try `tries` (from 1) of a single task inside an attempt: none before the first
/// restart, then 1 s doubling to 10 min, so that a task which fails at once cannot keep the machine
/// busy.
Seconds restart_wait(int tries);

}  // namespace ty::model
