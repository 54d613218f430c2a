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

#include "base/fd.h"
#include "engine/local/process/journal.h"
#include "engine/local/supervisor/launch_format.h"
#include "engine/local/transfer/transfers.h"
#include "engine/messages.h"

namespace ty::engine {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostSpare = 64;
// Beyond these a folder is not what we made, and not worth looking through.
constexpr std::size_t kMostShapes = 256;
constexpr std::size_t kMostEntries = 64;
constexpr off_t kLargestFile = 64 * 1024;

std::string name_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

/// Ours, with the usual rights, known by one name and with nothing attached: as we had left it.
bool is_untouched(int fd, bool is_folder) {
  struct stat info;
  if (::fstat(fd, &info) != 0 || info.st_uid != ::geteuid() || ::flistxattr(fd, nullptr, 0) > 0)
    return false;
  if (is_folder) return S_ISDIR(info.st_mode) && (info.st_mode & 07777) == 0755;
  return S_ISREG(info.st_mode) && (info.st_mode & 07777) == 0644 && info.st_nlink == 1 &&
         info.st_size <= kLargestFile;
}

/// Calls `visit` for each entry until it says false. False as well when the folder cannot be read.
/// The descriptor is taken over.
template <class Visit>
bool each_entry(int folder, Visit visit) {
  DIR* const dir = folder >= 0 ? ::fdopendir(folder) : nullptr;
  if (dir == nullptr) {
    if (folder >= 0) ::close(folder);
    return false;
  }
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

int open_at(int dir, const char* name, int flags) {
  return ::openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | flags);
}

/// Adds what is in a folder to `shape`; false when anything in it is not as we make it.
bool read_shape(int folder, const std::string& path, Recycler::Shape& shape) {
  if (!is_untouched(folder, true)) {
    ::close(folder);
    return false;
  }
  return each_entry(folder, [&](int dir, const dirent& entry) {
    if (shape.size() >= kMostEntries) return false;
    const std::string name = path + entry.d_name;
    if (entry.d_type == DT_DIR) {
      shape.insert(name + "/");
      const int inner = open_at(dir, entry.d_name, O_DIRECTORY);
      return inner >= 0 && read_shape(inner, name + "/", shape);
    }
    if (entry.d_type != DT_REG) return false;
    shape.insert(name);
    const Fd file(open_at(dir, entry.d_name, 0));
    return file && is_untouched(file.get(), false);
  });
}

std::unexpected<Error> not_removed(const std::string& path) {
  return fail(Errc::Unavailable,
              say::run_folder_not_removed({.path = path, .why = std::strerror(errno)}));
}

Result<void> unlink_if_there(const std::string& path) {
  if (::unlink(path.c_str()) == 0 || errno == ENOENT) return {};
  return not_removed(path);
}

/// True when the job's folder holds this run folder and what belongs to it, and nothing else.
bool is_alone(const std::string& run_dir) {
  const std::string name = name_of(run_dir);
  const std::string launch = name + supervisor::kLaunchSuffix;
  const std::string journal = name + supervisor::kJournalSuffix;
  return each_entry(
      open_at(AT_FDCWD, parent_of(run_dir).c_str(), O_DIRECTORY), [&](int, const dirent& entry) {
        return entry.d_name == name || entry.d_name == launch || entry.d_name == journal;
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

Result<void> Recycler::make(const std::string& run_dir, const Shape& shape) {
  const std::lock_guard lock(folders_);
  if (::mkdir(run_dir.c_str(), 0755) == 0 || errno == EEXIST) return {};
  if (errno == ENOENT && !shape.empty() && reuse(run_dir, shape)) return {};
  // Others of the machine may pass through to what is theirs (run_as), but not look around.
  const std::string job = parent_of(run_dir);
  const std::string letters = parent_of(job);
  if ((::mkdir(letters.c_str(), 0711) == 0 || errno == EEXIST) &&
      (::mkdir(job.c_str(), 0711) == 0 || errno == EEXIST) &&
      (::mkdir(run_dir.c_str(), 0755) == 0 || errno == EEXIST)) {
    return {};
  }
  return fail(disk_errc(errno),
              say::run_folder_not_made({.path = run_dir, .why = std::strerror(errno)}));
}

bool Recycler::reuse(const std::string& run_dir, const Shape& shape) {
  std::string folder;
  {
    const std::lock_guard lock(mutex_);
    if (spare_.size() >= kMostShapes)
      std::erase_if(spare_, [](auto& s) { return s.second.empty(); });
    if (spare_.size() >= kMostShapes) return false;
    auto& fitting = spare_[{name_of(run_dir), shape}];
    if (fitting.empty()) return false;
    folder = std::move(fitting.back());
    fitting.pop_back();
    --spare_count_;
  }
  const std::string job = parent_of(run_dir);
  if (::rename(folder.c_str(), job.c_str()) == 0) return true;
  const bool is_first_of_letters = errno == ENOENT && ::mkdir(parent_of(job).c_str(), 0711) == 0;
  if (is_first_of_letters && ::rename(folder.c_str(), job.c_str()) == 0) return true;
  clean_later(std::move(folder));
  return false;
}

Result<void> Recycler::remove(const std::string& run_dir) {
  TY_DO(unlink_if_there(run_dir + supervisor::kDeadlineSuffix));
  const std::lock_guard lock(folders_);
  TY_DO(move_aside(run_dir + supervisor::kControlSuffix));
  TY_DO(move_aside(run_dir + kTransferSuffix));
  if (keep(run_dir)) return {};
  // The journal last: as long as it is there the task is not begun again.
  TY_DO(unlink_if_there(run_dir + supervisor::kLaunchSuffix));
  TY_DO(unlink_if_there(run_dir + supervisor::kJournalSuffix));
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
    return not_removed(path);
  }
  return {};
}

bool Recycler::keep(const std::string& run_dir) {
  std::string folder;
  {
    const std::lock_guard lock(mutex_);
    if (spare_count_ >= kMostSpare) return false;
    folder = fmt::format("{}/.spare/{}", runs_, next_++);
  }
  Spare spare{name_of(run_dir), {}};
  const int tree = open_at(AT_FDCWD, run_dir.c_str(), O_DIRECTORY);
  if (tree < 0 || !read_shape(tree, "", spare.second) || !is_alone(run_dir) ||
      ::rename(parent_of(run_dir).c_str(), folder.c_str()) != 0) {
    return false;
  }
  // The launch file waits under the name that the next one is written to.
  const std::string inside = folder + "/" + spare.first;
  const std::string launch = inside + supervisor::kLaunchSuffix;
  const bool is_ready =
      reset_journal(inside) && ::rename(launch.c_str(), (launch + ".new").c_str()) == 0;
  const std::lock_guard lock(mutex_);
  if (const auto asked = spare_.find(spare); is_ready && asked != spare_.end()) {
    asked->second.push_back(std::move(folder));
    ++spare_count_;
  } else {
    queue_.push_back(std::move(folder));
    changed_.notify_all();
  }
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
