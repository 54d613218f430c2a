#include "telemetry/usage_file.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/text.h"
#include "telemetry/impl/file.h"

namespace ty::telemetry {
namespace {

using model::TaskUsage;

constexpr std::string_view kHeading =
    "time_ms,cpu_us,memory,memory_peak,processes,disk_read,disk_written,network_received,"
    "network_sent,gpus\n";

/// In the order of the heading.
constexpr std::array kFigures = {&TaskUsage::cpu_us,
                                 &TaskUsage::memory,
                                 &TaskUsage::memory_peak,
                                 &TaskUsage::processes,
                                 &TaskUsage::disk_read,
                                 &TaskUsage::disk_written,
                                 &TaskUsage::network_received,
                                 &TaskUsage::network_sent};
/// More than the longest line: 16 GPUs take about 400 bytes.
constexpr std::uint64_t kTail = 4096;

bool read_number(std::string_view text, std::int64_t& into) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), into);
  return error == std::errc{} && end == text.data() + text.size();
}

/// `index:load:memory`; the load may be empty.
std::optional<model::GpuUsage> parse_gpu(std::string_view text) {
  const auto parts = split(text, ':');
  std::int64_t index = 0;
  std::int64_t load = 0;
  model::GpuUsage gpu;
  if (parts.size() != 3 || !read_number(parts[0], index) || !read_number(parts[2], gpu.memory_used))
    return std::nullopt;
  gpu.index = static_cast<int>(index);
  if (!parts[1].empty()) {
    if (!read_number(parts[1], load)) return std::nullopt;
    gpu.load_percent = load;
  }
  return gpu;
}

Result<std::string> read_from(const std::string& path, std::uint64_t most) {
  TY_TRY(const Fd file, open_file(path, O_RDONLY));
  TY_TRY(const std::uint64_t size, file_size(file.get(), path));
  const std::uint64_t begin = size > most ? size - most : 0;
  std::string text(size - begin, '\0');
  TY_TRY(const std::size_t got, read_file_at(file.get(), begin, text, path));
  text.resize(got);
  return text;
}

/// The complete lines of a text that may begin in the middle of one.
template <class Visit>
void for_each_line(std::string_view text, Visit visit) {
  for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    if (const auto usage = parse_usage_line(text.substr(0, end))) visit(*usage);
    text.remove_prefix(end + 1);
  }
}

void keep_highest(TaskUsage::Figure& into, const TaskUsage::Figure& other) {
  if (other && (!into || *other > *into)) into = other;
}

}  // namespace

Millis usage_interval(Millis age) {
  using namespace std::chrono_literals;
  if (age < 5min) return 2s;
  if (age < 1h) return 10s;
  return age < 24h ? 30s : 120s;
}

std::string usage_line(const TaskUsage& usage) {
  std::string line = fmt::format("{}", to_millis(usage.at));
  for (const auto figure : kFigures) {
    line += ',';
    if (const auto& value = usage.*figure) line += fmt::to_string(*value);
  }
  line += ',';
  for (std::size_t i = 0; i < usage.gpus.size(); ++i) {
    const model::GpuUsage& gpu = usage.gpus[i];
    const std::string load = gpu.load_percent ? fmt::to_string(*gpu.load_percent) : "";
    line += fmt::format("{}{}:{}:{}", i > 0 ? ";" : "", gpu.index, load, gpu.memory_used);
  }
  return line + "\n";
}

std::optional<TaskUsage> parse_usage_line(std::string_view line) {
  const auto parts = split(line, ',');
  if (parts.size() != kFigures.size() + 2) return std::nullopt;
  TaskUsage usage;
  std::int64_t number = 0;
  if (!read_number(parts[0], number)) return std::nullopt;
  usage.at = from_millis(number);
  for (std::size_t i = 0; i < kFigures.size(); ++i) {
    const std::string& part = parts[i + 1];
    if (part.empty()) continue;
    if (!read_number(part, number)) return std::nullopt;
    usage.*kFigures[i] = number;
  }
  if (parts.back().empty()) return usage;
  for (const std::string& part : split(parts.back(), ';')) {
    const auto gpu = parse_gpu(part);
    if (!gpu) return std::nullopt;
    usage.gpus.push_back(*gpu);
  }
  return usage;
}

Result<void> append_usage(const std::string& log, const TaskUsage& usage) {
  const std::string path = usage_path(log);
  TY_TRY(const Fd file, open_file(path, O_RDWR | O_APPEND | O_CREAT));
  TY_TRY(const std::uint64_t size, file_size(file.get(), path));
  std::string text;
  if (size == 0) {
    text = kHeading;
  } else {
    // A full disk may have left a piece of a line.
    std::array<char, 1> last{};
    TY_DO(read_file_at(file.get(), size - 1, last, path));
    if (last[0] != '\n') text = "\n";
  }
  // One write for each: a server that is killed leaves whole lines.
  return write_all(file.get(), text + usage_line(usage), path);
}

Result<std::vector<TaskUsage>> read_usage(const std::string& log, std::optional<Time> since) {
  std::vector<TaskUsage> all;
  auto text = read_from(usage_path(log), std::uint64_t{64} << 20);
  if (!text && text.error().code == Errc::NotFound) return all;
  if (!text) return std::unexpected(std::move(text).error());
  for_each_line(*text, [&](const TaskUsage& usage) {
    if (!since || usage.at >= *since) all.push_back(usage);
  });
  return all;
}

Result<std::optional<TaskUsage>> last_usage(const std::string& log) {
  std::optional<TaskUsage> last;
  auto text = read_from(usage_path(log), kTail);
  if (!text && text.error().code == Errc::NotFound) return last;
  if (!text) return std::unexpected(std::move(text).error());
  for_each_line(*text, [&](const TaskUsage& usage) { last = usage; });
  return last;
}

std::vector<UsagePoint> usage_curve(const std::vector<TaskUsage>& all, std::size_t most) {
  std::vector<UsagePoint> points;
  const std::size_t count = std::min(most, all.size());
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t begin = i * all.size() / count;
    const std::size_t end = (i + 1) * all.size() / count;
    UsagePoint point{.usage = all[end - 1], .cpus = std::nullopt};
    for (std::size_t j = begin; j + 1 < end; ++j) {
      keep_highest(point.usage.memory, all[j].memory);
      keep_highest(point.usage.processes, all[j].processes);
      for (std::size_t g = 0; g < std::min(all[j].gpus.size(), point.usage.gpus.size()); ++g) {
        model::GpuUsage& gpu = point.usage.gpus[g];
        gpu.memory_used = std::max(gpu.memory_used, all[j].gpus[g].memory_used);
        keep_highest(gpu.load_percent, all[j].gpus[g].load_percent);
      }
    }
    const TaskUsage* before = begin > 0 ? &all[begin - 1] : nullptr;
    const TaskUsage& last = all[end - 1];
    if (before != nullptr && before->cpu_us && last.cpu_us && last.at > before->at) {
      point.cpus = static_cast<double>(*last.cpu_us - *before->cpu_us) / 1000 /
                   static_cast<double>((last.at - before->at).count());
    }
    points.push_back(std::move(point));
  }
  return points;
}

}  // namespace ty::telemetry
