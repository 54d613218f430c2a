#include "engine/local/process/recycler.h"

#include <dirent.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "engine/local/disk_watch.h"
#include "engine/local/supervisor/launch_format.h"
#include "engine/local/transfer/transfers.h"
#include "engine/messages.h"

namespace ty::engine {
namespace {

namespace fs = std::filesystem;

std::string name_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

/// Calls `visit` for each entry until it says false. False as well when the folder cannot be read.
template <class Visit>
bool each_entry(const std::string& folder, Visit visit) {
  DIR* const dir = ::opendir(folder.c_str());
  if (dir == nullptr) return false;
  bool goes_on = true;
  while (const dirent* entry = goes_on ? ::readdir(dir) : nullptr) {
    const std::string_view name = entry->d_name;
    goes_on = name == "." || name == ".." || visit(name);
  }
  ::closedir(dir);
  return goes_on;
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
  return each_entry(parent_of(run_dir), [&](std::string_view entry) {
    return entry.starts_with(name) && (entry.size() == name.size() || entry[name.size()] == '.');
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

Result<void> Recycler::remove(const std::string& run_dir) {
  const std::lock_guard lock(folders_);
  // Mostly the job has this one only: then all of it goes in one step.
  if (is_alone(run_dir)) return move_aside(parent_of(run_dir));
  TY_DO(unlink_if_there(run_dir + supervisor::kDeadlineSuffix));
  TY_DO(unlink_if_there(run_dir + kOverSuffix));
  TY_DO(move_aside(run_dir + supervisor::kControlSuffix));
  TY_DO(move_aside(run_dir + kTransferSuffix));
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
