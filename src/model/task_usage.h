#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "base/time.h"

namespace ty::model {

struct GpuUsage {
  int index = 0;  ///< on its node
  std::optional<std::int64_t> load_percent;
  std::int64_t memory_used = 0;
  bool operator==(const GpuUsage&) const = default;
};

/// What one try of a task uses at a moment, or has used until then. What nobody can tell on that
/// machine is missing.
struct TaskUsage {
  using Figure = std::optional<std::int64_t>;
  Time at{};
  Figure cpu_us;            ///< CPU time until now
  Figure memory;            ///< bytes that it could not do without: caches of files are left out
  Figure memory_peak;       ///< bytes, the most until now, caches included
  Figure processes;         ///< threads counted
  Figure disk_read;         ///< bytes until now
  Figure disk_written;      ///< bytes until now
  Figure network_received;  ///< bytes until now, over all but the loopback
  Figure network_sent;
  std::vector<GpuUsage> gpus;
  bool operator==(const TaskUsage&) const = default;
};

}  // namespace ty::model
