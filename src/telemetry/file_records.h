#pragma once
#include <string>

#include "telemetry/task_records.h"

namespace ty::telemetry {

/// Records in files below `DIR/logs` (`log_paths.h`, `usage_file.h`): logs as the task supervisor
/// writes them, usage beside each.
class FileRecords final : public TaskRecords {
 public:
  explicit FileRecords(std::string data_dir) : data_dir_(std::move(data_dir)) {}

  LogRef log(const model::TaskKey& key) const override;
  Result<void> add_usage(const model::TaskKey& key, const model::TaskUsage& usage) override;
  Result<std::vector<model::TaskUsage>> usage(const model::TaskKey& key,
                                              std::optional<Time> since) const override;
  Result<std::optional<model::TaskUsage>> last_usage(const model::TaskKey& key) const override;
  Result<void> remove(const JobId& job) override;
  Result<SweepReport> sweep(const KeepPolicy& policy,
                            Time now,
                            const HasEnded& has_ended,
                            const std::function<bool()>& stop) override;

 private:
  std::string data_dir_;
};

}  // namespace ty::telemetry
