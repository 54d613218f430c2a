#pragma once
#include <cstdint>
#include <string>

#include "base/result.h"

namespace ty::control {

struct ArchiveLimits {
  std::int64_t bytes = std::int64_t{8} << 30;  ///< unpacked
  std::int64_t files = 500'000;
};

struct Unpacked {
  std::int64_t bytes = 0;
  std::int64_t files = 0;
};

/// Unpacks a tar (plain, gzip, zstd) or zip into the folder `into`, which it makes. Nothing leaves
/// that folder: absolute names, `..`, links that point outside and device files are refused with
/// the entry's name. Blocks.
Result<Unpacked> unpack(const std::string& archive,
                        const std::string& into,
                        const ArchiveLimits& limits);

}  // namespace ty::control
