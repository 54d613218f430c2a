#include "mount_check.h"

#include <fcntl.h>
#include <linux/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <string_view>

namespace ty::supervisor {
namespace {

/// `DEVICE NUMBER PATH`
struct Expected {
  std::int64_t device = 0;
  std::int64_t number = 0;
  const char* path = nullptr;
};

bool parse(const char* text, Expected& out) {
  const std::string_view whole(text);
  const std::size_t first = whole.find(' ');
  if (first == std::string_view::npos) return false;
  const std::size_t second = whole.find(' ', first + 1);
  if (second == std::string_view::npos) return false;
  out.path = text + second + 1;
  return read_number(whole.substr(0, first), out.device) &&
         read_number(whole.substr(first + 1, second - first - 1), out.number);
}

}  // namespace

bool check_mounts(const Launch& launch, Failure& failure) {
  auto* const seen =
      static_cast<std::uint64_t*>(__builtin_alloca(sizeof(std::uint64_t) * launch.mounted.size()));
  std::size_t count = 0;
  for (const char* text : launch.mounted) {
    Expected expected;
    if (!parse(text, expected)) return failure.set(kStartFailed, "cannot read", text, 0);
    struct statx is = {};
    if (syscall(SYS_statx, AT_FDCWD, expected.path, 0, STATX_INO | STATX_MNT_ID, &is) != 0)
      return failure.set(kDataFailed, "cannot open the folder to mount,", expected.path);
    const auto device = static_cast<std::int64_t>(makedev(is.stx_dev_major, is.stx_dev_minor));
    bool is_same = device == expected.device &&
                   static_cast<std::int64_t>(is.stx_ino) == expected.number &&
                   (is.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
    // One mount must not vouch for two: the other would be somewhere else.
    for (std::size_t i = 0; i < count; ++i) is_same = is_same && seen[i] != is.stx_mnt_id;
    if (!is_same)
      return failure.set(kDataFailed, "the folder changed while it was mounted,", expected.path, 0);
    seen[count++] = is.stx_mnt_id;
  }
  return true;
}

}  // namespace ty::supervisor
