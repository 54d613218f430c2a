#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/message.h"
#include "base/result.h"

namespace ty::engine {

/// One GPU of a node: what it is, and how it was doing when it was last looked at.
struct Gpu {
  std::string type;         ///< what jobs ask for: `H200`
  std::string model;        ///< its full name: `NVIDIA H200`
  std::string uuid;         ///< empty: only configured, there is no such device
  int minor = -1;           ///< of /dev/nvidiaN; -1: none
  int link_group = 0;       ///< GPUs with the same number talk over NVLink, or else one PCIe bridge
  std::int64_t memory = 0;  ///< bytes; 0 unknown
  bool healthy = true;
  Message problem;

  std::int64_t memory_used = 0;
  int load_percent = -1;  ///< share of the last moment in which it computed; -1 unknown
  int celsius = -1;
  int watts = -1;
};

/// A made-up inventory: `A100:8` is eight of them; `A100:8/4` in NVLink groups of four.
Result<std::vector<Gpu>> configured_gpus(const std::vector<std::string>& entries);

}  // namespace ty::engine
