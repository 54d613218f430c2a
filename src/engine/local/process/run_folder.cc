#include "engine/local/process/run_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/fd.h"
#include "engine/local/mounts/tree.h"
#include "engine/local/supervisor/launch_format.h"
#include "engine/messages.h"

namespace ty::engine {
namespace {

namespace fs = std::filesystem;

std::unexpected<Error> not_written(const std::string& path, int code = errno) {
  return fail(disk_errc(code),
              say::run_file_not_written({.path = path, .why = std::strerror(code)}));
}

void give_to(const std::string& run_dir, std::int64_t uid, std::int64_t gid) {
  const auto give = [&](const std::string& path) {
    [[maybe_unused]] const int done =
        ::lchown(path.c_str(), static_cast<uid_t>(uid), static_cast<gid_t>(gid));
  };
  give(run_dir);
  std::error_code error;
  for (const auto& entry : fs::recursive_directory_iterator(run_dir, error)) give(entry.path());
}

}  // namespace

/// Like mkdir -p, but asks for the last folder first: mostly the others exist. A neighbour may
/// remove the empty parent in between; then once more.
Result<void> make_folder(const std::string& path, unsigned mode, unsigned parent_mode) {
  for (int round = 0; round < 8; ++round) {
    if (::mkdir(path.c_str(), mode) == 0 || errno == EEXIST) return {};
    if (errno != ENOENT) break;
    TY_DO(make_folder(parent_of(path), parent_mode, parent_mode));
  }
  return fail(disk_errc(errno),
              say::run_folder_not_made({.path = path, .why = std::strerror(errno)}));
}

Result<void> write_file(const std::string& path, std::string_view content, unsigned mode) {
  // What is there is written over and cut afterwards: a file that was cut to nothing first is sent
  // to the disk by some file systems as soon as it is closed.
  constexpr int kFlags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW;
  Fd fd(::open(path.c_str(), kFlags, mode));
  if (!fd && errno == ENOENT) {
    TY_DO(make_folder(parent_of(path), 0755, 0755));
    fd = Fd(::open(path.c_str(), kFlags, mode));
  }
  if (!fd) return not_written(path);
  const auto size = static_cast<off_t>(content.size());
  const ssize_t n = ::write(fd.get(), content.data(), content.size());
  if (n != size) return not_written(path, n < 0 ? errno : ENOSPC);
  struct stat info;
  if (::fstat(fd.get(), &info) != 0 || (info.st_size > size && ::ftruncate(fd.get(), size) != 0))
    return not_written(path);
  return {};
}

Result<void> copy_folder(const ProcessPlan::Copy& copy) {
  // Under another name first: half a copy is never taken for a whole one.
  const std::string part = copy.to + ".part";
  std::error_code error;
  if (fs::exists(copy.to, error)) return {};
  fs::remove_all(part, error);
  fs::create_directories(parent_of(copy.to), error);
  TY_DO(copy_tree(copy.from, part));
  fs::rename(part, copy.to, error);
  if (error) {
    return fail(
        disk_errc(error.value()),
        say::run_folder_not_copied({.path = copy.from, .to = copy.to, .why = error.message()}));
  }
  return {};
}

Result<void> write_ssh_folder(const std::string& path, const model::SshFolder& ssh) {
  TY_DO(make_folder(path, 0700, 0755));
  for (const auto& [name, content] : ssh.files) TY_DO(write_file(path + "/" + name, content, 0600));
  return {};
}

bool is_contained(const std::string& run_dir) {
  return ::access((run_dir + supervisor::kControlSuffix).c_str(), F_OK) == 0;
}

std::string control_prefix(const std::string& run_dir, bool is_contained) {
  return is_contained ? run_dir + supervisor::kControlSuffix + "/run" : run_dir;
}

Result<void> make_run_folder(const LocalLaunch& launch,
                             const ProcessPlan& plan,
                             Recycler& recycler) {
  TY_DO(recycler.make(launch.run_dir));
  if (plan.needs_work_folder) TY_DO(make_folder(launch.run_dir + "/work", 0755, 0755));
  for (const auto& copy : plan.copies) TY_DO(copy_folder(copy));
  for (const auto& [path, is_folder] : plan.mount_points) {
    TY_DO(is_folder ? make_folder(path, 0755, 0755) : write_file(path, "", 0644));
  }
  for (const auto& [name, target] : plan.links) {
    TY_DO(make_folder(parent_of(name), 0755, 0755));
    if (::symlink(target.c_str(), name.c_str()) != 0 && errno != EEXIST) {
      return fail(disk_errc(errno),
                  say::run_link_not_made({.path = name, .why = std::strerror(errno)}));
    }
  }
  for (const auto& [path, content] : plan.files) TY_DO(write_file(path, content, 0644));
  if (const auto& ssh = launch.environment.ssh) TY_DO(write_ssh_folder(ssh->path, *ssh));
  if (plan.owner) give_to(launch.run_dir, plan.owner->first, plan.owner->second);
  TY_DO(make_folder(parent_of(launch.log_path), 0750, 0750));
  return replace_small_file(launch.run_dir + supervisor::kLaunchSuffix, plan.launch_text, 0600);
}

Result<void> replace_small_file(const std::string& path, std::string_view content, unsigned mode) {
  const std::string temp = path + ".new";
  TY_DO(write_file(temp, content, mode));
  if (::rename(temp.c_str(), path.c_str()) != 0) return not_written(path);
  return {};
}

}  // namespace ty::engine
