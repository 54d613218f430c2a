#include "control/disk_space.h"

#include <sys/statvfs.h>

#include <algorithm>
#include <utility>

#include "control/messages.h"

namespace ty::control {

namespace {

std::int64_t bytes_of(fsblkcnt_t blocks, const struct statvfs& found) {
  return static_cast<std::int64_t>(blocks) * static_cast<std::int64_t>(found.f_frsize);
}

}  // namespace

DiskSpace::DiskSpace(std::string folder, std::int64_t reserve)
    : folder_(std::move(folder)), reserve_(reserve) {
  struct statvfs found{};
  if (::statvfs(folder_.c_str(), &found) == 0 && found.f_blocks > 0)
    reserve_ = std::min(reserve_, bytes_of(found.f_blocks, found) / 20);
}

Result<void> DiskSpace::has_room() const {
  struct statvfs found{};
  if (::statvfs(folder_.c_str(), &found) != 0 || found.f_blocks == 0) return {};
  const std::int64_t left = bytes_of(found.f_bavail, found);
  if (left >= reserve_) return {};
  return fail(Errc::DiskFull,
              say::disk_nearly_full({.path = folder_, .left = left, .reserve = reserve_}));
}

}  // namespace ty::control
