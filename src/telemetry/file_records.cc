#include "telemetry/file_records.h"

#include <chrono>
#include <filesystem>

#include "telemetry/log_paths.h"
#include "telemetry/usage_file.h"

namespace ty::telemetry {

LogRef FileRecords::log(const model::TaskKey& key) const {
  return log_file(log_path(data_dir_, key));
}

Result<void> FileRecords::add_usage(const model::TaskKey& key, const model::TaskUsage& usage) {
  return append_usage(log_path(data_dir_, key), usage);
}

Result<std::vector<model::TaskUsage>> FileRecords::usage(const model::TaskKey& key,
                                                         std::optional<Time> since) const {
  return read_usage(log_path(data_dir_, key), since);
}

Result<std::optional<model::TaskUsage>> FileRecords::last_usage(const model::TaskKey& key) const {
  return telemetry::last_usage(log_path(data_dir_, key));
}

Result<void> FileRecords::remove(const JobId& job) {
  return remove_job_logs(job_logs_dir(data_dir_, job));
}

Result<SweepReport> FileRecords::sweep(const KeepPolicy& policy,
                                       Time now,
                                       const HasEnded& has_ended,
                                       const std::function<bool()>& stop) {
  // The file's last change is the task's end: nobody but the task's supervisor ever writes it.
  const auto end_of = [&](const model::TaskKey& key) -> std::optional<Time> {
    if (!has_ended(key)) return std::nullopt;
    std::error_code ec;
    const auto changed = std::filesystem::last_write_time(log_path(data_dir_, key), ec);
    if (ec) return from_millis(0);
    return std::chrono::time_point_cast<Millis>(std::chrono::file_clock::to_sys(changed));
  };
  return telemetry::sweep(logs_root(data_dir_), policy, now, end_of, stop);
}

}  // namespace ty::telemetry
