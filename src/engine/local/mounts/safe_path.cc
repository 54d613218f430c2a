#include "engine/local/mounts/safe_path.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <cerrno>

#include "base/text.h"

namespace ty::engine {

Fd open_without_links(const std::string& path, int flags) {
  open_how how = {};
  how.flags = static_cast<std::uint64_t>(flags | O_CLOEXEC);
  how.resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  return Fd(static_cast<int>(::syscall(SYS_openat2, AT_FDCWD, path.c_str(), &how, sizeof(how))));
}

std::string identity_of(const std::string& path, Fd& held) {
  held = open_without_links(path, O_PATH);
  struct stat info;
  if (!held || ::fstat(held.get(), &info) != 0) return {};
  return fmt::format("{} {}", info.st_dev, info.st_ino);
}

Fd make_below(const std::string& root, const std::string& path) {
  Fd at = open_without_links(root, O_PATH | O_DIRECTORY);
  for (const std::string& step : split(path.substr(root.size()), '/')) {
    if (!at) break;
    if (step.empty() || step == ".") continue;
    if (step == "..") {
      errno = EINVAL;
      return Fd();
    }
    if (::mkdirat(at.get(), step.c_str(), 0755) != 0 && errno != EEXIST) return Fd();
    at = Fd(::openat(at.get(), step.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  }
  return at;
}

}  // namespace ty::engine
