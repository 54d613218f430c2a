#include "user.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string_view>

#include "text.h"

namespace ty::supervisor {
namespace {

/// A file of lines with fields between colons, in memory.
class Table {
 public:
  explicit Table(const char* path) {
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat info;
    if (fd >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size < (4 << 20)) {
      bytes_ = static_cast<char*>(malloc(static_cast<std::size_t>(info.st_size) + 1));
      ssize_t n = 0;
      while (bytes_ != nullptr &&
             (n = read(fd, bytes_ + size_, static_cast<std::size_t>(info.st_size) - size_)) > 0) {
        size_ += static_cast<std::size_t>(n);
      }
    }
    if (fd >= 0) close(fd);
  }

  /// The line whose field `at` is `value`; empty: none.
  std::string_view find(int at, std::string_view value) const {
    std::string_view rest(bytes_, size_);
    while (!rest.empty()) {
      const std::string_view line = rest.substr(0, rest.find('\n'));
      if (field(line, at) == value) return line;
      rest.remove_prefix(line.size() < rest.size() ? line.size() + 1 : line.size());
    }
    return {};
  }

  static std::string_view field(std::string_view line, int at) {
    for (; at > 0; --at) {
      const std::size_t colon = line.find(':');
      if (colon == std::string_view::npos) return {};
      line.remove_prefix(colon + 1);
    }
    return line.substr(0, line.find(':'));
  }

 private:
  char* bytes_ = nullptr;  // never freed: a supervisor reads it once
  std::size_t size_ = 0;
};

bool has_home(const Launch& launch) {
  for (const char* entry : launch.env) {
    if (entry != nullptr && std::string_view(entry).substr(0, 5) == "HOME=") return true;
  }
  return false;
}

/// Keys are of use to nobody but the task's user: ssh refuses those of others. What cannot be given
/// away, where users are remapped, stays as it is.
void give_away(const Launch& launch) {
  if (launch.own == nullptr) return;
  const auto uid = static_cast<uid_t>(launch.uid < 0 ? 0 : launch.uid);
  const auto gid = static_cast<gid_t>(launch.gid < 0 ? 0 : launch.gid);
  DIR* const folder = opendir(launch.own);
  if (folder == nullptr) return;
  [[maybe_unused]] int done = fchown(dirfd(folder), uid, gid);
  while (const dirent* entry = readdir(folder)) {
    if (entry->d_type == DT_REG)
      done = fchownat(dirfd(folder), entry->d_name, uid, gid, AT_SYMLINK_NOFOLLOW);
  }
  closedir(folder);
}

}  // namespace

bool resolve_user(Launch& launch, Failure& failure) {
  if (launch.user == nullptr) return true;
  const std::string_view whole(launch.user);
  const std::size_t colon = whole.find(':');
  const std::string_view user = whole.substr(0, colon);
  const std::string_view group =
      colon == std::string_view::npos ? std::string_view{} : whole.substr(colon + 1);

  const Table users("/etc/passwd");
  const bool is_number = read_number(user, launch.uid);
  const std::string_view line = users.find(is_number ? 2 : 0, user);
  if (!is_number && (line.empty() || !read_number(Table::field(line, 2), launch.uid))) {
    return failure.set(kBadSpec, "the image has no user called", user, 0);
  }
  if (!group.empty()) {
    if (!read_number(group, launch.gid) &&
        !read_number(Table::field(Table("/etc/group").find(0, group), 2), launch.gid)) {
      return failure.set(kBadSpec, "the image has no group called", group, 0);
    }
  } else if (line.empty() || !read_number(Table::field(line, 3), launch.gid)) {
    launch.gid = 0;
  }
  if (!has_home(launch)) {
    Path home;
    const std::string_view folder = Table::field(line, 5);
    home.add("HOME=").add(folder.empty() ? "/" : folder);
    launch.env.back() = strdup(home.c_str());  // over the null pointer at the end
    launch.env.push(nullptr);
  }
  give_away(launch);
  // uid 0 needs no change, and keeps the capabilities it is meant to keep.
  if (launch.uid == 0 && launch.gid <= 0) launch.uid = launch.gid = -1;
  return true;
}

}  // namespace ty::supervisor
