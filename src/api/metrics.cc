#include "api/metrics.h"

#include <dirent.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace ty::api {

Metrics::Metrics(std::vector<std::string_view> operation_ids)
    : ids_(std::move(operation_ids)), rows_(ids_.size() + 1) {}

void Metrics::record(std::optional<std::size_t> operation,
                     int status,
                     std::uint64_t sent,
                     std::chrono::nanoseconds took) {
  Row& row = rows_[operation.value_or(ids_.size())];
  constexpr auto relaxed = std::memory_order_relaxed;
  row.by_class[static_cast<std::size_t>(std::clamp(status / 100, 1, 5) - 1)].fetch_add(1, relaxed);
  const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(took).count();
  const auto bucket = std::ranges::lower_bound(kBounds, micros) - kBounds.begin();
  row.buckets[static_cast<std::size_t>(bucket)].fetch_add(1, relaxed);
  row.nanoseconds.fetch_add(static_cast<std::uint64_t>(took.count()), relaxed);
  row.sent.fetch_add(sent, relaxed);
}

std::string Metrics::render() const {
  std::string counts =
      "# HELP trainyard_http_requests_total Answers by operation and class of status.\n"
      "# TYPE trainyard_http_requests_total counter\n";
  std::string durations =
      "# HELP trainyard_http_request_duration_seconds From the end of the header to the end of the "
      "answer.\n"
      "# TYPE trainyard_http_request_duration_seconds histogram\n";
  std::string sizes =
      "# HELP trainyard_http_sent_bytes_total Bytes of answers' bodies.\n"
      "# TYPE trainyard_http_sent_bytes_total counter\n";
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const Row& row = rows_[i];
    const std::string_view name = i < ids_.size() ? ids_[i] : "none";
    std::uint64_t sum = 0;
    for (std::size_t c = 0; c < row.by_class.size(); ++c) {
      const std::uint64_t count = row.by_class[c].load(std::memory_order_relaxed);
      if (count > 0) {
        counts +=
            fmt::format("trainyard_http_requests_total{{operation=\"{}\",class=\"{}xx\"}} {}\n",
                        name,
                        c + 1,
                        count);
      }
      sum += count;
    }
    if (sum == 0) continue;
    std::uint64_t below = 0;
    constexpr std::string_view histogram = "trainyard_http_request_duration_seconds";
    for (std::size_t b = 0; b < row.buckets.size(); ++b) {
      below += row.buckets[b].load(std::memory_order_relaxed);
      const std::string bound =
          b < kBounds.size() ? fmt::format("{:g}", static_cast<double>(kBounds[b]) / 1e6) : "+Inf";
      durations += fmt::format(
          "{}_bucket{{operation=\"{}\",le=\"{}\"}} {}\n", histogram, name, bound, below);
    }
    durations += fmt::format("{}_sum{{operation=\"{}\"}} {:.6f}\n",
                             histogram,
                             name,
                             static_cast<double>(row.nanoseconds.load()) / 1e9);
    durations += fmt::format("{}_count{{operation=\"{}\"}} {}\n", histogram, name, below);
    sizes += fmt::format(
        "trainyard_http_sent_bytes_total{{operation=\"{}\"}} {}\n", name, row.sent.load());
  }
  return counts + durations + sizes +
         fmt::format(
             "# HELP trainyard_http_refused_total Calls without a valid token or right.\n"
             "# TYPE trainyard_http_refused_total counter\n"
             "trainyard_http_refused_total {}\n",
             refused_.load());
}

std::string process_metrics() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
  };
  long pages = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "re")) {
    if (std::fscanf(file, "%*s %ld", &pages) != 1) pages = 0;
    std::fclose(file);
  }
  int files = -3;  // `.`, `..` and the folder itself
  if (DIR* folder = ::opendir("/proc/self/fd")) {
    while (::readdir(folder) != nullptr) ++files;
    ::closedir(folder);
  }
  return fmt::format(
      "# HELP process_cpu_seconds_total User and system CPU time.\n"
      "# TYPE process_cpu_seconds_total counter\n"
      "process_cpu_seconds_total {:.2f}\n"
      "# HELP process_resident_memory_bytes Resident memory.\n"
      "# TYPE process_resident_memory_bytes gauge\n"
      "process_resident_memory_bytes {}\n"
      "# HELP process_open_fds Open file descriptors.\n"
      "# TYPE process_open_fds gauge\n"
      "process_open_fds {}\n",
      seconds(usage.ru_utime) + seconds(usage.ru_stime),
      pages * ::sysconf(_SC_PAGESIZE),
      files);
}

}  // namespace ty::api
