#include "cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string_view>

#include "text.h"

namespace ty::supervisor {
namespace {

bool put(const char* dir, const char* file, std::string_view value) {
  Path path;
  path.add(dir).add("/").add(file);
  const int fd = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool ok = write(fd, value.data(), value.size()) == static_cast<ssize_t>(value.size());
  close(fd);
  return ok;
}

bool put(const char* dir, const char* file, std::int64_t value) {
  Text<24> text;
  text.add(value);
  return put(dir, file, text.view());
}

std::int64_t at_most(std::int64_t value, std::int64_t most) { return value < most ? value : most; }

/// The file's text in `out`, empty when there is none.
std::string_view get(const char* dir, const char* file, char* out, std::size_t size) {
  Path path;
  path.add(dir).add("/").add(file);
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return {};
  const ssize_t n = read(fd, out, size);
  close(fd);
  return n <= 0 ? std::string_view{} : std::string_view(out, static_cast<std::size_t>(n));
}

/// The number after `name ` at the start of a line (`oom_kill 1`), or the only number for "".
std::int64_t number_of(const char* dir, const char* file, std::string_view name) {
  char bytes[1024];
  std::string_view rest = get(dir, file, bytes, sizeof(bytes));
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    const std::size_t at = name.empty() ? 0 : name.size() + 1;
    std::int64_t value = 0;
    if (line.size() > at &&
        (name.empty() || (line.substr(0, name.size()) == name && line[at - 1] == ' ')) &&
        read_number(line.substr(at), value)) {
      return value;
    }
    rest.remove_prefix(line.size() < rest.size() ? line.size() + 1 : line.size());
  }
  return -1;
}

}  // namespace

int Cgroup::add(const char* dir) {
  for (int i = 0; i < count_; ++i) {
    if (std::string_view(dirs_[i]) == dir) return i;  // cpu and cpuacct are often one hierarchy
  }
  if (mkdir(dir, 0755) != 0 && errno != EEXIST) return -1;
  dirs_[count_] = dir;
  return count_++;
}

void Cgroup::create(const Launch& launch,
                    void (*warn)(void* context, const char* text),
                    void* context) {
  const auto open_tasks = [this](int i, const char* file) {
    if (i < 0 || task_fds_[i] >= 0) return;
    Path path;
    path.add(dirs_[i]).add("/").add(file);
    task_fds_[i] = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  };
  bool limits_cpu = false;
  bool limits_processes = false;

  if (launch.cgroup2 != nullptr) {
    const int i = add(launch.cgroup2);
    if (i >= 0) {
      clone_fd_ = open(launch.cgroup2, O_PATH | O_DIRECTORY | O_CLOEXEC);
      memory2_ = cpu2_ = launch.cgroup2;
      open_tasks(i, "cgroup.procs");
      if (launch.memory > 0 && put(launch.cgroup2, "memory.max", launch.memory)) {
        limits_memory_ = true;
        put(launch.cgroup2, "memory.swap.max", 0);
      }
      Text<48> quota;
      quota.add(launch.cpu_milli * 100).add(" 100000");
      limits_cpu = launch.cpu_milli > 0 && put(launch.cgroup2, "cpu.max", quota.view());
      // On a machine that promised more than it has, each gets its part.
      if (launch.cpu_milli > 10)
        put(launch.cgroup2, "cpu.weight", at_most(launch.cpu_milli / 10, 10'000));
      limits_processes = launch.processes > 0 && put(launch.cgroup2, "pids.max", launch.processes);
    }
  }
  // Version 1: `tasks`, not `cgroup.procs`: a thread that moves itself need not wait for the
  // kernel-wide lock that moving a whole process takes.
  if (launch.cgroup_memory != nullptr && !limits_memory_) {
    const int i = add(launch.cgroup_memory);
    open_tasks(i, "tasks");
    if (i >= 0) memory1_ = launch.cgroup_memory;
    if (i >= 0 && launch.memory > 0 &&
        put(launch.cgroup_memory, "memory.limit_in_bytes", launch.memory)) {
      limits_memory_ = true;
      put(launch.cgroup_memory, "memory.memsw.limit_in_bytes", launch.memory);
    }
  }
  if (launch.cgroup_cpu != nullptr && !limits_cpu) {
    const int i = add(launch.cgroup_cpu);
    open_tasks(i, "tasks");
    limits_cpu = i >= 0 && launch.cpu_milli > 0 &&
                 put(launch.cgroup_cpu, "cpu.cfs_quota_us", launch.cpu_milli * 100);
    if (i >= 0 && launch.cpu_milli > 10)
      put(launch.cgroup_cpu, "cpu.shares", at_most(launch.cpu_milli * 1024 / 1000, 262'144));
  }
  if (launch.cgroup_pids != nullptr && !limits_processes) {
    const int i = add(launch.cgroup_pids);
    open_tasks(i, "tasks");
    limits_processes =
        i >= 0 && launch.processes > 0 && put(launch.cgroup_pids, "pids.max", launch.processes);
  }
  if (launch.cgroup_cpuacct != nullptr) {
    const int i = add(launch.cgroup_cpuacct);
    open_tasks(i, "tasks");
    if (i >= 0) cpuacct1_ = launch.cgroup_cpuacct;
  }

  const bool misses_memory = launch.memory > 0 && !limits_memory_;
  const bool misses_cpu = launch.cpu_milli > 0 && !limits_cpu;
  if (misses_memory && misses_cpu) {
    warn(context, "Memory and CPU are not limited: no cgroup can be made here.");
  } else if (misses_memory) {
    warn(context, "Memory is not limited: no memory cgroup can be made here.");
  } else if (misses_cpu) {
    warn(context, "CPU is not limited: no cpu cgroup can be made here.");
  }
  if (launch.processes > 0 && !limits_processes) {
    warn(context, "The number of processes is not limited: no pids cgroup can be made here.");
  }
}

void Cgroup::find_own() {
  const auto has = [](const char* path) { return access(path, R_OK) == 0; };
  if (has("/sys/fs/cgroup/memory/memory.limit_in_bytes")) memory1_ = "/sys/fs/cgroup/memory";
  if (has("/sys/fs/cgroup/memory.max")) memory2_ = "/sys/fs/cgroup";
  for (const char* folder : {"/sys/fs/cgroup/cpuacct", "/sys/fs/cgroup/cpu,cpuacct"}) {
    Path path;
    if (has(path.add(folder).add("/cpuacct.usage").c_str())) cpuacct1_ = folder;
  }
  if (has("/sys/fs/cgroup/cpu.stat")) cpu2_ = "/sys/fs/cgroup";
  limits_memory_ = true;
}

void Cgroup::enter() const {
  for (int i = 0; i < count_; ++i) {
    const bool is_joined = memory2_ != nullptr && dirs_[i] == memory2_ && clone_fd_ >= 0;
    if (!is_joined && task_fds_[i] >= 0) {
      [[maybe_unused]] const ssize_t n = write(task_fds_[i], "0", 1);
    }
  }
}

Cgroup::Usage Cgroup::usage() const {
  Usage usage;
  if (memory2_ != nullptr) {
    usage.oom_kills = number_of(memory2_, "memory.events", "oom_kill");
    usage.peak = number_of(memory2_, "memory.peak", "");
  }
  if (memory1_ != nullptr) {
    usage.oom_kills = number_of(memory1_, "memory.oom_control", "oom_kill");
    usage.peak = number_of(memory1_, "memory.max_usage_in_bytes", "");
  }
  if (usage.oom_kills < 0) usage.oom_kills = 0;
  if (usage.peak < 0) usage.peak = 0;
  if (cpuacct1_ != nullptr) {
    const std::int64_t ns = number_of(cpuacct1_, "cpuacct.usage", "");
    usage.cpu_ms = ns < 0 ? -1 : ns / 1'000'000;
  } else if (cpu2_ != nullptr) {
    const std::int64_t us = number_of(cpu2_, "cpu.stat", "usage_usec");
    usage.cpu_ms = us < 0 ? -1 : us / 1000;
  }
  return usage;
}

void Cgroup::kill_all() const {
  for (int i = 0; i < count_; ++i) {
    char bytes[8192];
    std::string_view pids = get(dirs_[i], "cgroup.procs", bytes, sizeof(bytes));
    while (!pids.empty()) {
      const std::size_t end = pids.find('\n');
      std::int64_t pid = 0;
      if (end == std::string_view::npos) break;
      if (read_number(pids.substr(0, end), pid) && pid > 1) kill(static_cast<pid_t>(pid), SIGKILL);
      pids.remove_prefix(end + 1);
    }
  }
}

void Cgroup::remove() const {
  for (int i = 0; i < count_; ++i) rmdir(dirs_[i]);
}

}  // namespace ty::supervisor
