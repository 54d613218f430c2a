#include "engine/local/transfer/file_names.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/fd.h"
#include "engine/local/mounts/safe_path.h"
#include "engine/messages.h"

namespace ty::engine {
namespace {

constexpr int kMostDepth = 200;

Error file_error(std::string_view name, int code) {
  return {disk_errc(code), say::result_unreadable({.name = name, .why = std::strerror(code)}), {}};
}

Result<void> copy_file(int from, int to, const char* name) {
  const Fd in(::openat(from, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!in)
    return errno == ENOENT || errno == ELOOP ? Result<void>()
                                             : std::unexpected(file_error(name, errno));
  struct stat info;
  if (::fstat(in.get(), &info) != 0 || !S_ISREG(info.st_mode)) return {};
  const Fd out(::openat(to, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!out) return std::unexpected(file_error(name, errno));
  for (ssize_t n = 1; n != 0;) {
    n = ::sendfile(out.get(), in.get(), nullptr, std::size_t{1} << 30);
    if (n < 0) return std::unexpected(file_error(name, errno));
  }
  const timespec times[2] = {info.st_atim, info.st_mtim};
  ::futimens(out.get(), times);
  return {};
}

/// What an entry is where the folder itself does not say.
unsigned char type_of(int folder, const dirent& entry) {
  struct stat info;
  if (entry.d_type != DT_UNKNOWN ||
      ::fstatat(folder, entry.d_name, &info, AT_SYMLINK_NOFOLLOW) != 0)
    return entry.d_type;
  return S_ISDIR(info.st_mode) ? DT_DIR : S_ISREG(info.st_mode) ? DT_REG : DT_UNKNOWN;
}

Result<void> walk(int from, int to, int depth) {
  if (depth > kMostDepth) return fail(Errc::Invalid, say::results_too_deep());
  DIR* const folder = ::fdopendir(::dup(from));
  if (folder == nullptr) {
    return fail(disk_errc(errno), say::result_folder_unreadable({.why = std::strerror(errno)}));
  }
  Result<void> done;
  while (const dirent* entry = done ? ::readdir(folder) : nullptr) {
    const char* const name = entry->d_name;
    if (std::strcmp(name, ".") == 0 || std::strcmp(name, "..") == 0) continue;
    const unsigned char type = type_of(from, *entry);
    if (type == DT_DIR) {
      const Fd inner(::openat(from, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
      if (!inner) continue;  // gone, or a link by now
      ::mkdirat(to, name, 0700);
      const Fd beside(::openat(to, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
      done = beside ? walk(inner.get(), beside.get(), depth + 1)
                    : Result<void>(std::unexpected(file_error(name, errno)));
    } else if (type == DT_REG) {
      // A link that took its place meanwhile is named, not followed; whoever sends it leaves it
      // out.
      if (::linkat(from, name, to, name, 0) != 0 && errno != ENOENT)
        done = copy_file(from, to, name);
    }
  }
  ::closedir(folder);
  return done;
}

}  // namespace

Result<void> name_files_again(const std::string& from, const std::string& to) {
  const Fd source = open_without_links(from, O_RDONLY | O_DIRECTORY);
  if (!source) return std::unexpected(file_error(from, errno));
  if (::mkdir(to.c_str(), 0700) != 0 && errno != EEXIST)
    return std::unexpected(file_error(to, errno));
  const Fd target(::open(to.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!target) return std::unexpected(file_error(to, errno));
  return walk(source.get(), target.get(), 0);
}

}  // namespace ty::engine
