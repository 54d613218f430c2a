#pragma once
#include <cmath>
#include <optional>

#include "sched/policy.h"

/// How much service a job has had, in levels. Nobody knows how long a job will run, but most end
/// soon: whoever has had little is let in before those who had much, and a level is wide enough
/// that jobs do not push each other in and out. (Least attained service in discrete levels, as in
/// Tiresias.)
namespace ty::sched {

inline constexpr double kLevelWidth = 4;

/// `gpus` GPUs for `ran`: level 0 below the policy's quantum, then one more each time it has grown
/// fourfold.
inline int service_level(const Policy& policy, std::int64_t gpus, Millis ran) {
  if (policy.order != Order::Service) return 0;
  const double had =
      static_cast<double>(std::max<std::int64_t>(gpus, 1)) * static_cast<double>(ran.count());
  const double quantum = static_cast<double>(Millis(policy.quantum).count());
  if (had < quantum) return 0;
  return 1 + static_cast<int>(std::log(had / quantum) / std::log(kLevelWidth));
}

/// After how much running it leaves its level.
inline Millis level_ends(const Policy& policy, std::int64_t gpus, int level) {
  const double had =
      static_cast<double>(Millis(policy.quantum).count()) * std::pow(kLevelWidth, level);
  return Millis(static_cast<std::int64_t>(
             std::ceil(had / static_cast<double>(std::max<std::int64_t>(gpus, 1))))) +
         Millis(1);
}

}  // namespace ty::sched
