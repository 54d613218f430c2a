#include "engine/local/process/recycler.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "engine/local/process/fd.h"
#include "engine/local/supervisor/launch_format.h"

namespace ty::engine {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostSpare = 64;

std::string parent_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

/// Ours, with the usual rights and nothing attached: as `mkdir` had left it.
bool is_untouched(int dir, const char* name) {
  const Fd fd(::openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat info;
  return fd && ::fstat(fd.get(), &info) == 0 && info.st_uid == ::geteuid() &&
         (info.st_mode & 07777) == 0755 && ::flistxattr(fd.get(), nullptr, 0) <= 0;
}

/// Calls `visit` for each entry until it says false. False as well when the folder cannot be read.
template <class Visit>
bool each_entry(const std::string& path, Visit visit) {
  DIR* const dir = ::opendir(path.c_str());
  if (dir == nullptr) return false;
  bool is_going_on = true;
  while (is_going_on) {
    const dirent* const entry = ::readdir(dir);
    if (entry == nullptr) break;
    if (std::strcmp(entry->d_name, ".") == 0 || std::strcmp(entry->d_name, "..") == 0) continue;
    is_going_on = visit(::dirfd(dir), *entry);
  }
  ::closedir(dir);
  return is_going_on;
}

/// Unlinks plain files directly inside; false when anything but them and an empty `work` is there.
bool empty_out(const std::string& run_dir) {
  return is_untouched(AT_FDCWD, run_dir.c_str()) &&
         each_entry(run_dir, [&](int dir, const dirent& entry) {
           if (entry.d_type == DT_REG) return ::unlinkat(dir, entry.d_name, 0) == 0;
           return std::strcmp(entry.d_name, "work") == 0 && is_untouched(dir, "work") &&
                  each_entry(run_dir + "/work", [](int, const dirent&) { return false; });
         });
}

}  // namespace

Recycler::Recycler(std::string runs) : runs_(std::move(runs)) {
  std::error_code error;
  fs::create_directories(runs_, error);
  for (const char* name : {"/.spare", "/.aside"}) {
    const std::string folder = runs_ + name;
    for (const auto& entry : fs::directory_iterator(folder, error)) queue_.push_back(entry.path());
    ::mkdir(folder.c_str(), 0700);
  }
  // Leftovers keep their names until they are gone.
  next_ = static_cast<std::uint64_t>(::time(nullptr)) << 24;
  thread_ = std::thread([this] { clean(); });
}

Recycler::~Recycler() {
  {
    const std::lock_guard lock(mutex_);
    is_closing_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

Result<void> Recycler::make(const std::string& run_dir) {
  const std::lock_guard lock(folders_);
  if (::mkdir(run_dir.c_str(), 0755) == 0 || errno == EEXIST) return {};
  if (errno == ENOENT && reuse(run_dir)) return {};
  // Others of the machine may pass through to what is theirs (run_as), but not look around.
  const std::string job = parent_of(run_dir);
  const std::string letters = parent_of(job);
  if ((::mkdir(letters.c_str(), 0711) == 0 || errno == EEXIST) &&
      (::mkdir(job.c_str(), 0711) == 0 || errno == EEXIST) &&
      (::mkdir(run_dir.c_str(), 0755) == 0 || errno == EEXIST)) {
    return {};
  }
  const bool is_full = errno == ENOSPC || errno == EDQUOT;
  return fail(is_full ? Errc::Exhausted : Errc::Unavailable,
              fmt::format("cannot make the folder {}: {}", run_dir, std::strerror(errno)));
}

bool Recycler::reuse(const std::string& run_dir) {
  std::string folder;
  {
    const std::lock_guard lock(mutex_);
    if (spare_.empty()) return false;
    folder = std::move(spare_.back());
    spare_.pop_back();
  }
  const std::string job = parent_of(run_dir);
  if (::rename(folder.c_str(), job.c_str()) != 0) {
    const bool is_first_of_letters = errno == ENOENT && ::mkdir(parent_of(job).c_str(), 0711) == 0;
    if (!is_first_of_letters || ::rename(folder.c_str(), job.c_str()) != 0) {
      clean_later(std::move(folder));
      return false;
    }
  }
  return ::rename((job + "/run").c_str(), run_dir.c_str()) == 0;
}

Result<void> Recycler::remove(const std::string& run_dir) {
  for (const char* suffix :
       {supervisor::kDeadlineSuffix, supervisor::kLaunchSuffix, supervisor::kJournalSuffix}) {
    const std::string path = run_dir + suffix;
    if (::unlink(path.c_str()) != 0 && errno != ENOENT) {
      return fail(Errc::Unavailable,
                  fmt::format("cannot remove {}: {}", path, std::strerror(errno)));
    }
  }
  const std::lock_guard lock(folders_);
  TY_DO(move_aside(run_dir + supervisor::kControlSuffix));
  if (keep(run_dir)) return {};
  TY_DO(move_aside(run_dir));
  ::rmdir(parent_of(run_dir).c_str());  // stays while other tasks of the job have theirs in it
  return {};
}

Result<void> Recycler::move_aside(const std::string& path) {
  std::string aside;
  {
    const std::lock_guard lock(mutex_);
    aside = fmt::format("{}/.aside/{}", runs_, next_++);
  }
  if (::rename(path.c_str(), aside.c_str()) == 0) {
    clean_later(std::move(aside));
  } else if (errno != ENOENT) {
    return fail(Errc::Unavailable, fmt::format("cannot remove {}: {}", path, std::strerror(errno)));
  }
  return {};
}

bool Recycler::keep(const std::string& run_dir) {
  std::string folder;
  {
    const std::lock_guard lock(mutex_);
    if (spare_.size() >= kMostSpare) return false;
    folder = fmt::format("{}/.spare/{}", runs_, next_++);
  }
  const std::string job = parent_of(run_dir);
  const std::string name = run_dir.substr(job.size() + 1);
  const bool is_alone =
      each_entry(job, [&](int, const dirent& entry) { return name == entry.d_name; });
  if (!is_alone || !empty_out(run_dir) || ::rename(run_dir.c_str(), (job + "/run").c_str()) != 0)
    return false;
  if (::rename(job.c_str(), folder.c_str()) != 0) {
    ::rename((job + "/run").c_str(), run_dir.c_str());
    return false;
  }
  const std::lock_guard lock(mutex_);
  spare_.push_back(std::move(folder));
  return true;
}

void Recycler::clean_later(std::string path) {
  const std::lock_guard lock(mutex_);
  queue_.push_back(std::move(path));
  changed_.notify_all();
}

void Recycler::clean() {
  while (true) {
    std::string path;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return is_closing_ || !queue_.empty(); });
      if (is_closing_) return;
      path = std::move(queue_.front());
      queue_.pop_front();
    }
    std::error_code error;
    fs::remove_all(path, error);
  }
}

}  // namespace ty::engine
