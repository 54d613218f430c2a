#include "engine/local/process/sweep.h"

#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/fd.h"
#include "engine/local/disk_watch.h"
#include "engine/local/machine.h"
#include "engine/local/process/journal.h"
#include "engine/local/process/run_folder.h"
#include "engine/local/supervisor/launch_format.h"
#include "engine/local/transfer/transfers.h"

namespace ty::engine {
namespace {

namespace fs = std::filesystem;

std::string boot_file(const std::string& data_dir) { return data_dir + "/runs/boot"; }

void end_supervisor(const std::string& run_dir) {
  const auto holder = read_journal(run_dir).holder;
  if (!holder) return;
  const Fd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, *holder, 0)));
  if (!pidfd || read_journal(run_dir).holder != holder) return;
  siginfo_t info = {};
  info.si_signo = SIGTERM;
  info.si_code = SI_QUEUE;  // with the value 0: no grace
  pollfd ready = {pidfd.get(), POLLIN, 0};
  ::syscall(SYS_pidfd_send_signal, pidfd.get(), SIGTERM, &info, 0);
  if (::poll(&ready, 1, 5000) == 0)
    ::syscall(SYS_pidfd_send_signal, pidfd.get(), SIGKILL, nullptr, 0);
  ::poll(&ready, 1, 1000);
}

/// `…/0.1.2.3.journal` and `…/0.1.2.3` both belong to the run folder `…/0.1.2.3`.
std::string run_folder_of(std::string path) {
  for (const char* suffix : {supervisor::kLaunchSuffix,
                             supervisor::kJournalSuffix,
                             supervisor::kDeadlineSuffix,
                             supervisor::kControlSuffix,
                             kTransferSuffix,
                             kOverSuffix,
                             ".launch.new",
                             ".deadline.new"}) {
    if (path.ends_with(suffix)) return path.substr(0, path.size() - std::strlen(suffix));
  }
  return path;
}

}  // namespace

void sweep(const std::string& data_dir,
           const CgroupTree& cgroups,
           const std::set<std::string>& wanted,
           Recycler& recycler) {
  std::error_code error;
  std::set<std::string> found;
  std::set<std::string> stray_files;
  for (const auto& letters : fs::directory_iterator(data_dir + "/runs", error)) {
    if (!letters.is_directory(error) || letters.path().filename().string().starts_with('.'))
      continue;
    for (const auto& job : fs::directory_iterator(letters.path(), error)) {
      for (const auto& entry : fs::directory_iterator(job.path(), error)) {
        const std::string path = entry.path();
        if (path.ends_with(".new")) stray_files.insert(path);
        found.insert(run_folder_of(path));
      }
    }
  }
  for (const std::string& path : stray_files) ::unlink(path.c_str());
  std::set<std::string> kept_groups;
  for (const std::string& run_dir : found) {
    const fs::path path(run_dir);
    const std::string group =
        path.parent_path().filename().string() + "." + path.filename().string();
    if (wanted.contains(run_dir)) {
      kept_groups.insert(group);
      continue;
    }
    end_supervisor(run_dir);
    cgroups.remove(group);
    // What cannot be removed now is tried again at the next start.
    [[maybe_unused]] const auto removed = recycler.remove(run_dir);
  }
  for (const std::string& group : cgroups.tasks()) {
    if (!kept_groups.contains(group)) cgroups.remove(group);
  }
}

bool is_new_boot(const std::string& data_dir) {
  std::ifstream file(boot_file(data_dir));
  std::string last;
  return std::getline(file, last) && last != boot_id();
}

void remember_boot(const std::string& data_dir) {
  [[maybe_unused]] const auto written =
      replace_small_file(boot_file(data_dir), boot_id() + "\n", 0644);
}

}  // namespace ty::engine
