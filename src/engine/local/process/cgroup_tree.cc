#include "engine/local/process/cgroup_tree.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <set>

#include "engine/local/supervisor/launch_format.h"
#include "engine/local/usage/cgroup_mounts.h"

namespace ty::engine {
namespace {

namespace key = supervisor::key;

bool put(const std::string& path, std::string_view text) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool ok = ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  ::close(fd);
  return ok;
}

bool make_folder(const std::string& folder) {
  return (::mkdir(folder.c_str(), 0755) == 0 || errno == EEXIST) &&
         ::access(folder.c_str(), W_OK) == 0;
}

void kill_members(const std::string& folder) {
  if (put(folder + "/cgroup.kill", "1")) return;
  std::ifstream file(folder + "/cgroup.procs");
  long pid = 0;
  while (file >> pid) {
    if (pid > 1) ::kill(static_cast<pid_t>(pid), SIGKILL);
  }
}

}  // namespace

CgroupTree CgroupTree::open(std::string_view name, std::int64_t cpu_milli) {
  CgroupTree tree;
  const auto mounts = cgroup_mounts();
  for (const CgroupMount& mount : mounts) {
    if (!mount.is_v2 || !mount.has("memory") || !mount.has("cpu") || !mount.has("pids")) continue;
    const std::string folder = mount.path + "/" + std::string(name);
    constexpr std::string_view kWanted = "+memory +cpu +pids";
    if (put(mount.path + "/cgroup.subtree_control", kWanted) && make_folder(folder) &&
        put(folder + "/cgroup.subtree_control", kWanted)) {
      put(folder + "/cpu.weight",
          std::to_string(std::clamp<std::int64_t>(cpu_milli / 10, 1, 10000)));
      tree.hierarchies_.push_back({key::kCgroup2, folder});
      return tree;
    }
  }
  constexpr std::array<std::pair<const char*, const char*>, 4> kControllers = {{
      {"memory", key::kCgroupMemory},
      {"cpu", key::kCgroupCpu},
      {"pids", key::kCgroupPids},
      {"cpuacct", key::kCgroupCpuacct},
  }};
  for (const auto& [controller, field] : kControllers) {
    for (const CgroupMount& mount : mounts) {
      if (mount.is_v2 || !mount.has(controller)) continue;
      const std::string folder = mount.path + "/" + std::string(name);
      if (make_folder(folder)) tree.hierarchies_.push_back({field, folder});
      if (std::string_view(controller) == "cpu") {
        const std::int64_t shares = std::clamp<std::int64_t>(cpu_milli * 1024 / 1000, 2, 262'144);
        put(folder + "/cpu.shares", std::to_string(shares));
      }
      break;
    }
  }
  return tree;
}

void CgroupTree::remove(std::string_view task) const {
  for (const Hierarchy& hierarchy : hierarchies_) {
    const std::string folder = hierarchy.folder + "/" + std::string(task);
    // Nearly always it is gone already; else its members need a moment to die.
    for (int round = 0; ::rmdir(folder.c_str()) != 0 && errno == EBUSY && round < 100; ++round) {
      kill_members(folder);
      ::usleep(2000);
    }
  }
}

std::vector<std::string> CgroupTree::tasks() const {
  std::set<std::string> names;
  std::error_code error;
  for (const Hierarchy& hierarchy : hierarchies_) {
    for (const auto& entry : std::filesystem::directory_iterator(hierarchy.folder, error)) {
      if (entry.is_directory(error)) names.insert(entry.path().filename());
    }
  }
  return {names.begin(), names.end()};
}

void CgroupTree::remove_own() const {
  for (const Hierarchy& hierarchy : hierarchies_) ::rmdir(hierarchy.folder.c_str());
}

}  // namespace ty::engine
