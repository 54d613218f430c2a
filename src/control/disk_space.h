#pragma once
#include <cstdint>
#include <string>

#include "base/result.h"

namespace ty::control {

/// What the file system of the data directory has left, against what is set aside there. Asking
/// costs a system call and no disk access. Any thread.
class DiskSpace {
 public:
  /// `reserve` is at most a twentieth of the file system, so that a small one is of use too.
  DiskSpace(std::string folder, std::int64_t reserve);

  /// Whether something new may be taken in or started: DiskFull says what is left. True where the
  /// file system does not tell.
  Result<void> has_room() const;
  std::int64_t reserve() const { return reserve_; }

 private:
  std::string folder_;
  std::int64_t reserve_;
};

}  // namespace ty::control
