#include "engine/local/machine.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>

#include "base/text.h"

namespace ty::engine {
namespace {

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::optional<std::int64_t> figure_of(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// The path of our cgroup in the hierarchy with `controller` ("" for version 2).
std::string own_cgroup(std::string_view controller) {
  std::ifstream file("/proc/self/cgroup");
  std::string line;
  while (std::getline(file, line)) {
    const auto parts = split(line, ':');
    if (parts.size() < 3) continue;
    const auto names = split(parts[1], ',');
    if (std::find(names.begin(), names.end(), controller) != names.end()) {
      return line.substr(parts[0].size() + parts[1].size() + 2);
    }
  }
  return "/";
}

}  // namespace

std::int64_t machine_cpu_milli() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::int64_t milli = ::sysconf(_SC_NPROCESSORS_ONLN) * 1000;
  if (::sched_getaffinity(0, sizeof(set), &set) == 0) milli = CPU_COUNT(&set) * 1000L;
  const auto words = split(first_line("/sys/fs/cgroup" + own_cgroup("") + "/cpu.max"), ' ');
  if (words.size() == 2 && figure_of(words[0]) && figure_of(words[1]).value_or(0) > 0) {
    milli = std::min(milli, *figure_of(words[0]) * 1000 / *figure_of(words[1]));
  }
  const std::string v1 = "/sys/fs/cgroup/cpu" + own_cgroup("cpu");
  const auto quota = figure_of(first_line(v1 + "/cpu.cfs_quota_us"));
  const auto period = figure_of(first_line(v1 + "/cpu.cfs_period_us"));
  if (quota.value_or(-1) > 0 && period.value_or(0) > 0) {
    milli = std::min(milli, *quota * 1000 / *period);
  }
  return std::max<std::int64_t>(milli, 1);
}

std::int64_t machine_memory() {
  std::int64_t bytes = std::numeric_limits<std::int64_t>::max();
  std::ifstream file("/proc/meminfo");
  std::string word;
  std::int64_t kilobytes = 0;
  if (file >> word >> kilobytes) bytes = kilobytes * 1024;
  for (const auto& path :
       {"/sys/fs/cgroup" + own_cgroup("") + "/memory.max",
        "/sys/fs/cgroup/memory" + own_cgroup("memory") + "/memory.limit_in_bytes"}) {
    if (const auto limit = figure_of(first_line(path)); limit && *limit > 0)
      bytes = std::min(bytes, *limit);
  }
  return bytes;
}

std::string machine_name() {
  char name[256] = {};
  return ::gethostname(name, sizeof(name) - 1) == 0 && name[0] != '\0' ? name : "localhost";
}

std::string boot_id() { return first_line("/proc/sys/kernel/random/boot_id"); }

}  // namespace ty::engine
