#pragma once
#include <cstddef>
#include <cstdint>

#include "base/time.h"

/// The numbers of job-model §1 and §10, in one place for parsers, schema and checks.
namespace ty::jobspec::limits {

inline constexpr std::size_t kFileBytes = std::size_t{1} << 20;
inline constexpr std::size_t kDescription = 4096;  // characters
inline constexpr std::int64_t kMinPriority = -100;
inline constexpr std::int64_t kMaxPriority = 1000;
inline constexpr std::size_t kLabels = 64;
inline constexpr std::size_t kLabelKey = 128;
inline constexpr std::size_t kLabelValue = 256;
inline constexpr std::size_t kRoles = 64;
inline constexpr std::int64_t kTasks = 4096;
inline constexpr std::int64_t kJobGpus = 16384;
inline constexpr std::int64_t kGpus = 1024;
inline constexpr std::int64_t kCpuMilli = 1'024'000;
inline constexpr std::int64_t kMinMemory = std::int64_t{4} << 20;
inline constexpr std::int64_t kMaxMemory = std::int64_t{64} << 40;
inline constexpr std::size_t kImageBytes = 512;
inline constexpr std::size_t kPortLabels = 64;
inline constexpr std::int64_t kPorts = 256;
inline constexpr std::int64_t kMaxPort = 65535;
inline constexpr std::size_t kMounts = 64;
inline constexpr std::size_t kPathBytes = 4096;
inline constexpr std::size_t kEnvValue = std::size_t{64} << 10;
inline constexpr std::size_t kEnvSum = std::size_t{256} << 10;
inline constexpr std::size_t kScript = std::size_t{256} << 10;
inline constexpr std::size_t kArgument = std::size_t{64} << 10;
inline constexpr std::size_t kArguments = std::size_t{256} << 10;
inline constexpr std::size_t kSecrets = 64;
inline constexpr std::size_t kParams = std::size_t{64} << 10;
inline constexpr std::size_t kExtras = std::size_t{256} << 10;
inline constexpr std::size_t kAlerts = 32;
inline constexpr std::size_t kMetrics = 64;
inline constexpr std::size_t kPolicies = 32;
inline constexpr std::size_t kNodeLabels = 16;
inline constexpr Seconds kYear{365LL * 86400};
inline constexpr Seconds kTenYears{3650LL * 86400};
inline constexpr Seconds kLongestHold{604800};
inline constexpr Seconds kLongestGrace{3600};

}  // namespace ty::jobspec::limits
