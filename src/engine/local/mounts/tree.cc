#include "engine/local/mounts/tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/fd.h"
#include "engine/local/mounts/safe_path.h"
#include "engine/messages.h"

namespace ty::engine {
namespace {

constexpr int kDeepestFolder = 200;
constexpr int kFolder = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

/// Calls `visit` with each name until it says false. The caller's descriptor stays as it is.
template <class Visit>
bool each_name(int folder, Visit visit) {
  DIR* const dir = ::fdopendir(::openat(folder, ".", kFolder));
  if (dir == nullptr) return true;
  bool goes_on = true;
  while (const dirent* entry = goes_on ? ::readdir(dir) : nullptr) {
    if (std::strcmp(entry->d_name, ".") == 0 || std::strcmp(entry->d_name, "..") == 0) continue;
    goes_on = visit(static_cast<const char*>(entry->d_name));
  }
  ::closedir(dir);
  return goes_on;
}

bool add_size(int folder, std::int64_t enough, int depth, TreeSize& size) {
  return each_name(folder, [&](const char* name) {
    struct stat info;
    if (::fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) != 0) return true;
    size.on_disk += info.st_blocks * 512;
    if (S_ISREG(info.st_mode)) size.bytes += info.st_size;
    if (size.on_disk > enough || size.bytes > enough) return false;
    if (!S_ISDIR(info.st_mode) || depth >= kDeepestFolder) return true;
    const Fd inner(::openat(folder, name, kFolder));
    return !inner || add_size(inner.get(), enough, depth + 1, size);
  });
}

/// No more than the file had when it was opened, and only what is not a hole.
bool copy_bytes(int from, int to, off_t size) {
  for (off_t at = 0; at < size;) {
    const off_t data = ::lseek(from, at, SEEK_DATA);
    if (data < 0 && errno == ENXIO) break;  // a hole to the end
    off_t end = data < 0 ? size : ::lseek(from, data, SEEK_HOLE);
    at = std::max<off_t>(data, at);
    end = end < 0 ? size : std::min(end, size);
    if (::lseek(to, at, SEEK_SET) < 0) return false;
    while (at < end) {
      const ssize_t n = ::sendfile(to, from, &at, static_cast<std::size_t>(end - at));
      if (n < 0) return false;
      if (n == 0) return true;  // it was cut meanwhile
    }
  }
  return ::ftruncate(to, size) == 0;
}

bool copy_file(int in, const struct stat& info, int to, const char* name) {
  const mode_t mode = info.st_mode & 0777;
  const Fd out(::openat(to, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
  return out && copy_bytes(in, out.get(), info.st_size) && ::fchmod(out.get(), mode) == 0;
}

bool copy_link(int from, int to, const char* name) {
  std::array<char, 4096> target;
  const ssize_t n = ::readlinkat(from, name, target.data(), target.size() - 1);
  if (n < 0) return errno == EINVAL || errno == ENOENT;  // no link any more: left out
  target[static_cast<std::size_t>(n)] = '\0';
  return ::symlinkat(target.data(), to, name) == 0;
}

bool copy_entries(int from, int to, int depth);

bool copy_entry(int from, int to, const char* name, int depth) {
  struct stat info;
  if (::fstatat(from, name, &info, AT_SYMLINK_NOFOLLOW) != 0) return errno == ENOENT;
  if (S_ISLNK(info.st_mode)) return copy_link(from, to, name);
  if (!S_ISDIR(info.st_mode) && !S_ISREG(info.st_mode)) return true;
  const Fd in(::openat(from, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  // Gone, or a link by now.
  if (!in) return errno == ENOENT || errno == ELOOP;
  if (::fstat(in.get(), &info) != 0) return false;
  if (S_ISREG(info.st_mode)) return copy_file(in.get(), info, to, name);
  if (!S_ISDIR(info.st_mode)) return true;
  if (depth >= kDeepestFolder) {
    errno = ELOOP;
    return false;
  }
  if (::mkdirat(to, name, 0700) != 0) return false;
  const Fd out(::openat(to, name, kFolder));
  return out && copy_entries(in.get(), out.get(), depth + 1) &&
         ::fchmod(out.get(), info.st_mode & 0777) == 0;
}

bool copy_entries(int from, int to, int depth) {
  int error = 0;
  each_name(from, [&](const char* name) {
    if (copy_entry(from, to, name, depth)) return true;
    error = errno;
    return false;
  });
  errno = error;
  return error == 0;
}

}  // namespace

TreeSize size_of_tree(int folder, std::int64_t enough) {
  TreeSize size;
  add_size(folder, enough, 0, size);
  return size;
}

Result<void> copy_tree(const std::string& from, const std::string& to) {
  const auto failed = [&] {
    return fail(disk_errc(errno),
                say::run_folder_not_copied({.path = from, .to = to, .why = std::strerror(errno)}));
  };
  const Fd in = open_without_links(from, O_RDONLY | O_NONBLOCK);
  struct stat info;
  if (!in || ::fstat(in.get(), &info) != 0) return failed();
  if (S_ISREG(info.st_mode)) {
    if (!copy_file(in.get(), info, AT_FDCWD, to.c_str())) return failed();
    return {};
  }
  if (!S_ISDIR(info.st_mode)) {
    errno = ENOTDIR;
    return failed();
  }
  if (::mkdir(to.c_str(), 0700) != 0) return failed();
  const Fd out(::open(to.c_str(), kFolder));
  if (!out || !copy_entries(in.get(), out.get(), 0) ||
      ::fchmod(out.get(), info.st_mode & 0777) != 0) {
    return failed();
  }
  return {};
}

}  // namespace ty::engine
