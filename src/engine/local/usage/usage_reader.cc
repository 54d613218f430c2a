#include "engine/local/usage/usage_reader.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <iterator>

#include "base/text.h"

namespace ty::engine {
namespace {

using Figure = model::TaskUsage::Figure;

/// A small file of the kernel's, read at one go.
class SmallFile {
 public:
  SmallFile(std::string_view folder, std::string_view name) {
    std::array<char, 512> path;
    const auto written = fmt::format_to_n(path.data(), path.size() - 1, "{}/{}", folder, name);
    if (written.size >= path.size()) return;
    *written.out = '\0';
    const int fd = ::open(path.data(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    is_there_ = true;
    for (ssize_t n = 0; size_ < bytes_.size(); size_ += static_cast<std::size_t>(n)) {
      n = ::read(fd, bytes_.data() + size_, bytes_.size() - size_);
      if (n <= 0) break;
    }
    ::close(fd);
  }

  bool is_there() const { return is_there_; }
  std::string_view text() const { return {bytes_.data(), size_}; }
  /// Calls `visit(line)` for each line.
  template <class Visit>
  void lines(Visit visit) const {
    for (std::string_view rest = text(); !rest.empty();) {
      const std::size_t end = rest.find('\n');
      visit(rest.substr(0, end));
      if (end == std::string_view::npos) return;
      rest.remove_prefix(end + 1);
    }
  }

 private:
  std::array<char, 16384> bytes_;
  std::size_t size_ = 0;
  bool is_there_ = false;
};

/// The number at the beginning of a text.
Figure number(std::string_view text) {
  std::int64_t value = 0;
  while (text.starts_with(' ')) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} ? Figure(value) : std::nullopt;
}

Figure only_number(const UsageReader::Group& group, std::string_view file) {
  return number(SmallFile(group.folder, file).text());
}

/// The number after `name ` at the beginning of a line.
Figure named_number(const SmallFile& file, std::string_view name) {
  Figure found;
  file.lines([&](std::string_view line) {
    if (!found && line.starts_with(name) && line.substr(name.size()).starts_with(' '))
      found = number(line.substr(name.size() + 1));
  });
  return found;
}

void read_cpu(const UsageReader::Group& group, model::TaskUsage& usage) {
  if (group.folder.empty()) return;
  if (group.is_v2) {
    usage.cpu_us = named_number(SmallFile(group.folder, "cpu.stat"), "usage_usec");
  } else if (const Figure ns = only_number(group, "cpuacct.usage")) {
    usage.cpu_us = *ns / 1000;
  }
}

void read_memory(const UsageReader::Group& group, model::TaskUsage& usage) {
  if (group.folder.empty()) return;
  usage.memory = only_number(group, group.is_v2 ? "memory.current" : "memory.usage_in_bytes");
  usage.memory_peak = only_number(group, group.is_v2 ? "memory.peak" : "memory.max_usage_in_bytes");
  if (!usage.memory) return;
  // Files that were read once and lie around until somebody needs the space.
  const Figure idle = named_number(SmallFile(group.folder, "memory.stat"),
                                   group.is_v2 ? "inactive_file" : "total_inactive_file");
  if (idle && *idle < *usage.memory) *usage.memory -= *idle;
}

/// Version 2: `8:0 rbytes=1 wbytes=2 …`; version 1: `8:0 Read 1`, `8:0 Write 2`.
void read_disk(const UsageReader::Group& group, model::TaskUsage& usage) {
  if (group.folder.empty()) return;
  const SmallFile file(group.folder, group.is_v2 ? "io.stat" : "blkio.throttle.io_service_bytes");
  std::int64_t read = 0;
  std::int64_t written = 0;
  const auto add = [](std::string_view line, std::string_view word, std::int64_t& sum) {
    const std::size_t at = line.find(word);
    if (at != std::string_view::npos) sum += number(line.substr(at + word.size())).value_or(0);
  };
  file.lines([&](std::string_view line) {
    add(line, group.is_v2 ? " rbytes=" : " Read ", read);
    add(line, group.is_v2 ? " wbytes=" : " Write ", written);
  });
  if (!file.is_there()) return;
  usage.disk_read = read;
  usage.disk_written = written;
}

/// `  eth0: received …` with eight figures, then eight of what was sent.
void read_network(const std::string& path, model::TaskUsage& usage) {
  if (path.empty()) return;
  const std::size_t slash = path.rfind('/');
  const SmallFile file(path.substr(0, slash), path.substr(slash + 1));
  if (file.text().empty()) return;
  std::int64_t received = 0;
  std::int64_t sent = 0;
  file.lines([&](std::string_view line) {
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || line.substr(0, colon).ends_with("lo")) return;
    int column = 0;
    for (std::string_view rest = line.substr(colon + 1);; ++column) {
      while (rest.starts_with(' ')) rest.remove_prefix(1);
      if (rest.empty()) break;
      if (column == 0) received += number(rest).value_or(0);
      if (column == 8) sent += number(rest).value_or(0);
      rest.remove_prefix(std::min(rest.find(' '), rest.size()));
    }
  });
  usage.network_received = received;
  usage.network_sent = sent;
}

std::string link_of(const std::string& path) {
  std::array<char, 128> target;
  const ssize_t n = ::readlink(path.c_str(), target.data(), target.size());
  return n > 0 ? std::string(target.data(), static_cast<std::size_t>(n)) : std::string();
}

}  // namespace

UsageReader UsageReader::of_groups(const std::vector<CgroupMount>& mounts,
                                   std::string_view cgroups) {
  // `4:memory:/docker/0a1b…`, and `0::/…` for version 2.
  const auto group_of = [&](std::string_view controller) -> Group {
    for (const CgroupMount& mount : mounts) {
      if (!mount.has(controller)) continue;
      for (const std::string& line : split(cgroups, '\n')) {
        const auto parts = split(line, ':');
        if (parts.size() < 3) continue;
        const auto names = split(parts[1], ',');
        const bool is_its = mount.is_v2 ? parts[1].empty() && parts[0] == "0"
                                        : std::ranges::find(names, controller) != names.end();
        if (!is_its) continue;
        std::string path = line.substr(parts[0].size() + parts[1].size() + 2);
        if (mount.root != "/" && path.starts_with(mount.root)) path.erase(0, mount.root.size());
        return {mount.path + (path == "/" ? "" : path), mount.is_v2};
      }
    }
    return {};
  };
  UsageReader reader;
  reader.cpu = group_of("cpuacct");
  if (reader.cpu.folder.empty()) reader.cpu = group_of("cpu");
  reader.memory = group_of("memory");
  // Time is counted in every group of version 2, with or without the controller that limits it.
  if (reader.cpu.folder.empty() && reader.memory.is_v2) reader.cpu = reader.memory;
  reader.processes = group_of("pids");
  reader.disk = group_of("blkio");
  if (reader.disk.folder.empty()) reader.disk = group_of("io");
  return reader;
}

UsageReader UsageReader::of_process(pid_t pid) {
  const std::string proc = fmt::format("/proc/{}", pid);
  std::ifstream file(proc + "/cgroup");
  const std::string cgroups((std::istreambuf_iterator<char>(file)),
                            std::istreambuf_iterator<char>());
  UsageReader reader = of_groups(cgroup_mounts(), cgroups);
  const std::string network = link_of(proc + "/ns/net");
  if (!network.empty() && network != link_of("/proc/self/ns/net"))
    reader.network = proc + "/net/dev";
  return reader;
}

model::TaskUsage UsageReader::read() const {
  model::TaskUsage usage;
  read_cpu(cpu, usage);
  read_memory(memory, usage);
  if (!processes.folder.empty()) usage.processes = only_number(processes, "pids.current");
  read_disk(disk, usage);
  read_network(network, usage);
  return usage;
}

}  // namespace ty::engine
