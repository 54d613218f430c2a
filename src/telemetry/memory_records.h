#pragma once
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "telemetry/task_records.h"

namespace ty::telemetry {

/// Records that lie nowhere but in memory, for engines whose tasks are not of this world. Logs are
/// small and stay plain: a sweep deletes what is old and compresses nothing.
class MemoryRecords final : public TaskRecords {
 public:
  using Grown = std::function<void(const std::string& name)>;
  MemoryRecords();
  ~MemoryRecords() override;

  /// Adds bytes to a log, which begins with its first; `at` is when they came.
  void append(const model::TaskKey& key, std::string_view bytes, Time at);
  /// Told the name of a log after every `append`, on the thread of who appended.
  void on_growth(Grown told);

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
  struct Record;
  std::shared_ptr<Record> find(const model::TaskKey& key) const;

  mutable std::mutex mutex_;
  std::map<model::TaskKey, std::shared_ptr<Record>> records_;
  Grown grown_;
};

}  // namespace ty::telemetry
