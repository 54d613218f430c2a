#include "model/retry.h"

#include <algorithm>

namespace ty::model {

namespace {

constexpr int kBeforeCommandCap = 10;
constexpr Seconds kConflictShortest{60};
constexpr Seconds kConflictLongest{900};

bool holds(const std::vector<FailureClass>& classes, FailureClass one) {
  return std::ranges::find(classes, one) != classes.end();
}

/// base, 2 base, 4 base … up to `longest`.
Seconds doubled(Seconds base, int times, Seconds longest) {
  for (; times > 0 && base < longest; --times) base *= 2;
  return std::min(base, std::max(longest, Seconds{0}));
}

/// One step of a well-mixed generator (the finaliser of SplitMix64).
std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

Seconds conflict_wait(std::uint64_t seed, int conflicts) {
  const auto span = static_cast<std::uint64_t>((kConflictLongest - kConflictShortest).count()) + 1;
  const std::uint64_t drawn = mix(seed ^ mix(static_cast<std::uint64_t>(conflicts)));
  return kConflictShortest + Seconds{static_cast<std::int64_t>(drawn % span)};
}

/// Which count pays for another attempt; nullopt: nobody may.
std::optional<RetryKind> kind_of(const Retry& retry,
                                 const RetryCount& so_far,
                                 const AttemptEnd& end) {
  const bool always = retry.budget == -2;
  if (end.succeeded && !end.by_policy) {
    return always ? std::optional(RetryKind::Counted) : std::nullopt;
  }
  const bool own_fault =
      end.failure != FailureClass::Platform && end.failure != FailureClass::Conflict;
  const bool counted = own_fault || holds(retry.counted, end.failure);
  if (end.by_policy || always || holds(retry.on, end.failure)) {
    const bool code_allowed =
        end.by_policy || !own_fault || retry.exit_codes.empty() ||
        (end.exit_code &&
         std::ranges::find(retry.exit_codes, *end.exit_code) != retry.exit_codes.end());
    const bool budget_left = retry.budget < 0 || so_far.counted < retry.budget;
    if (counted && code_allowed && budget_left) return RetryKind::Counted;
    if (!counted && end.failure == FailureClass::Conflict) return RetryKind::Conflict;
    if (!counted && so_far.platform < retry.platform_cap) return RetryKind::Platform;
  }
  // Where a dialect leaves failures to the user, a fault of ours before anything of theirs ran is
  // still ours.
  if (!own_fault && !end.command_ran && so_far.before_command < kBeforeCommandCap) {
    return RetryKind::BeforeCommand;
  }
  return std::nullopt;
}

}  // namespace

std::optional<RetryPlan> plan_retry(const Retry& retry,
                                    const RetryCount& so_far,
                                    const AttemptEnd& end,
                                    std::uint64_t seed) {
  const auto kind = kind_of(retry, so_far, end);
  if (!kind) return std::nullopt;
  if (*kind == RetryKind::Conflict) return RetryPlan{*kind, conflict_wait(seed, so_far.conflict)};
  // A job that runs again because it succeeded is not in trouble: its waits do not grow.
  const int earlier = end.succeeded ? 0 : so_far.counted + so_far.platform + so_far.before_command;
  return RetryPlan{*kind, doubled(retry.backoff, earlier, retry.max_backoff)};
}

Seconds restart_wait(int tries) {
  return tries <= 1 ? Seconds{0} : doubled(Seconds{1}, tries - 2, Seconds{600});
}

}  // namespace ty::model
