#include "control/data_dir.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/text.h"
#include "control/messages.h"

namespace ty::control {

namespace {

Message why_of(int code) { return plain(std::strerror(code)); }

/// What was tried and why it failed, with what helps.
std::unexpected<Error> file_error(int code, Message what) {
  Message cure;
  if (code == EROFS || code == EACCES || code == EPERM) cure = say::choose_another_data_dir();
  if (code == ENOSPC) cure = say::free_some_space();
  return fail(disk_errc(code), joined(std::move(what), std::move(cure)));
}

std::unexpected<Error> not_writable(const std::string& root) {
  const int code = errno;
  return file_error(code, say::data_dir_not_writable({.path = root, .why = why_of(code)}));
}

std::unexpected<Error> not_written(const std::string& path) {
  const int code = errno;
  return file_error(code, say::server_file_not_written({.path = path, .why = why_of(code)}));
}

std::string spare_of(const std::string& path) { return path + ".new"; }

/// The pid the present holder left in the lock file, for the message only.
std::string holder_of(int fd) {
  char text[32] = {};
  const ssize_t n = ::pread(fd, text, sizeof text - 1, 0);
  return n > 0 ? std::string(trim({text, static_cast<std::size_t>(n)})) : std::string();
}

/// Whether a process of that number runs: one that ended and was not yet waited for does not.
bool is_running(const std::string& pid) {
  std::error_code ec;
  (void)std::filesystem::read_symlink("/proc/" + pid + "/exe", ec);
  return !ec || ec == std::errc::permission_denied;
}

/// A child that a server was just beginning when it was killed holds its lock until it is a program
/// of its own: who starts the server again at once waits for that, not for a server that runs.
bool take_lock(int fd) {
  constexpr int kRounds = 200;
  for (int round = 0;; ++round) {
    if (::flock(fd, LOCK_EX | LOCK_NB) == 0) return true;
    const std::string holder = holder_of(fd);
    if (holder.empty() || is_running(holder) || round == kRounds) return false;
    ::usleep(10'000);
  }
}

}  // namespace

Result<DataDir> DataDir::open(const std::string& path) {
  std::error_code ec;
  std::filesystem::create_directories(path, ec);
  if (ec) {
    return file_error(ec.value(),
                      say::data_dir_not_made({.path = path, .why = why_of(ec.value())}));
  }
  const std::string root = std::filesystem::canonical(path, ec).string();
  const std::string lock_path = root + "/lock";
  const int fd = ::open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return not_writable(root);
  if (!take_lock(fd)) {
    const std::string pid = holder_of(fd);
    ::close(fd);
    return fail(Errc::Conflict,
                pid.empty() ? say::data_dir_taken({.path = root})
                            : say::data_dir_taken_by({.path = root, .pid = pid}));
  }
  DataDir dir(root, fd);
  // Over what is there, never shorter: a full disk has no block for a file that was emptied.
  const std::string pid = fmt::format("{:<20}\n", ::getpid());
  if (::pwrite(fd, pid.data(), pid.size(), 0) < 0 && disk_errc(errno) != Errc::DiskFull)
    return not_writable(root);
  ::chmod(root.c_str(), 0700);
  std::filesystem::create_directories(dir.uploads(), ec);
  if (ec) {
    return file_error(
        ec.value(),
        say::server_folder_not_made({.path = dir.uploads(), .why = why_of(ec.value())}));
  }
  return dir;
}

DataDir::DataDir(DataDir&& other) noexcept
    : root_(std::move(other.root_)), lock_fd_(std::exchange(other.lock_fd_, -1)) {}

DataDir::~DataDir() {
  if (lock_fd_ >= 0) ::close(lock_fd_);
}

Result<void> replace_file(const std::string& path, std::string_view content, unsigned mode) {
  const std::string temp = spare_of(path);
  // Not emptied first: the block it has may be the last one.
  const int fd = ::open(temp.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, mode);
  if (fd < 0) return not_written(temp);
  const auto size = static_cast<ssize_t>(content.size());
  const bool written = ::pwrite(fd, content.data(), content.size(), 0) == size &&
                       ::ftruncate(fd, size) == 0 && ::fchmod(fd, mode) == 0 && ::fsync(fd) == 0;
  const int code = errno;
  ::close(fd);
  errno = code;
  if (!written || ::rename(temp.c_str(), path.c_str()) != 0) return not_written(path);
  return {};
}

void keep_spare(const std::string& path) {
  const int fd = ::open(spare_of(path).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return;
  (void)::fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, 4096);
  ::close(fd);
}

}  // namespace ty::control
