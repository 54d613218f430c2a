#include "telemetry/memory_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "model/log_index.h"
#include "telemetry/impl/byte_source.h"
#include "telemetry/messages.h"

namespace ty::telemetry {

namespace {

/// Bytes that only ever grow, read while somebody appends.
class GrowingText {
 public:
  void append(std::string_view bytes) {
    const std::lock_guard lock(mutex_);
    text_.append(bytes);
  }
  std::uint64_t size() const {
    const std::lock_guard lock(mutex_);
    return text_.size();
  }
  std::size_t read_at(std::uint64_t offset, std::span<char> buffer) const {
    const std::lock_guard lock(mutex_);
    if (offset >= text_.size()) return 0;
    return text_.copy(buffer.data(), buffer.size(), static_cast<std::size_t>(offset));
  }

 private:
  mutable std::mutex mutex_;
  std::string text_;
};

class TextSource final : public ByteSource {
 public:
  explicit TextSource(std::shared_ptr<const GrowingText> text)
      : text_(std::move(text)), size_(text_->size()) {}
  std::uint64_t size() const override { return size_; }
  bool compressed() const override { return false; }
  Result<void> refresh() override {
    size_ = text_->size();
    return {};
  }
  Result<std::size_t> read_at(std::uint64_t offset, std::span<char> buffer) override {
    if (offset >= size_) return 0;
    const auto wanted = std::min<std::uint64_t>(buffer.size(), size_ - offset);
    return text_->read_at(offset, buffer.first(static_cast<std::size_t>(wanted)));
  }

 private:
  std::shared_ptr<const GrowingText> text_;
  std::uint64_t size_;
};

std::string name_of(const model::TaskKey& key) {
  return fmt::format("memory:{}/{}.{}.{}.{}",
                     key.job.str(),
                     key.attempt,
                     key.task.role,
                     key.task.index,
                     key.tries);
}

}  // namespace

struct MemoryRecords::Record {
  std::shared_ptr<GrowingText> bytes = std::make_shared<GrowingText>();
  std::shared_ptr<GrowingText> index = std::make_shared<GrowingText>();
  std::uint64_t lines = 0;  // guarded by MemoryRecords::mutex_, as all below
  Time last{};
  std::vector<model::TaskUsage> usage;
};

MemoryRecords::MemoryRecords() = default;
MemoryRecords::~MemoryRecords() = default;

void MemoryRecords::on_growth(Grown told) {
  const std::lock_guard lock(mutex_);
  grown_ = std::move(told);
}

void MemoryRecords::append(const model::TaskKey& key, std::string_view bytes, Time at) {
  if (bytes.empty()) return;
  Grown grown;
  {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<Record>& record = records_[key];
    if (!record) record = std::make_shared<Record>();
    const model::LogIndexRecord entry{to_millis(at), record->bytes->size(), record->lines};
    record->bytes->append(bytes);
    char raw[sizeof(entry)];
    std::memcpy(raw, &entry, sizeof(entry));
    record->index->append({raw, sizeof(raw)});
    record->lines += static_cast<std::uint64_t>(std::ranges::count(bytes, '\n'));
    record->last = at;
    grown = grown_;
  }
  if (grown) grown(name_of(key));
}

std::shared_ptr<MemoryRecords::Record> MemoryRecords::find(const model::TaskKey& key) const {
  const std::lock_guard lock(mutex_);
  const auto found = records_.find(key);
  return found == records_.end() ? nullptr : found->second;
}

LogRef MemoryRecords::log(const model::TaskKey& key) const {
  LogRef ref{.name = name_of(key), .open = nullptr};
  ref.open = [this, key]() -> Result<LogReader> {
    const std::shared_ptr<Record> record = find(key);
    if (!record) return fail(Errc::NotFound, say::no_task_log());
    // The index first: what it knows of is then among the bytes.
    auto index = std::make_unique<TextSource>(record->index);
    return LogReader(std::make_unique<TextSource>(record->bytes), std::move(index));
  };
  return ref;
}

Result<void> MemoryRecords::add_usage(const model::TaskKey& key, const model::TaskUsage& usage) {
  const std::lock_guard lock(mutex_);
  const auto found = records_.find(key);
  if (found == records_.end()) return fail(Errc::NotFound, say::no_task_record());
  found->second->usage.push_back(usage);
  return {};
}

Result<std::vector<model::TaskUsage>> MemoryRecords::usage(const model::TaskKey& key,
                                                           std::optional<Time> since) const {
  const std::lock_guard lock(mutex_);
  std::vector<model::TaskUsage> samples;
  if (const auto found = records_.find(key); found != records_.end()) {
    for (const model::TaskUsage& one : found->second->usage) {
      if (!since || one.at >= *since) samples.push_back(one);
    }
  }
  return samples;
}

Result<std::optional<model::TaskUsage>> MemoryRecords::last_usage(const model::TaskKey& key) const {
  const std::lock_guard lock(mutex_);
  const auto found = records_.find(key);
  if (found == records_.end() || found->second->usage.empty()) return std::nullopt;
  return found->second->usage.back();
}

Result<void> MemoryRecords::remove(const JobId& job) {
  const std::lock_guard lock(mutex_);
  std::erase_if(records_, [&](const auto& item) { return item.first.job == job; });
  return {};
}

Result<SweepReport> MemoryRecords::sweep(const KeepPolicy& policy,
                                         Time now,
                                         const HasEnded& has_ended,
                                         const std::function<bool()>&) {
  SweepReport report;
  const std::lock_guard lock(mutex_);
  std::erase_if(records_, [&](const auto& item) {
    const bool is_old = policy.delete_after && now - item.second->last >= *policy.delete_after &&
                        has_ended(item.first);
    ++report.logs;
    if (is_old) ++report.deleted;
    if (!is_old) report.total += item.second->bytes->size();
    return is_old;
  });
  return report;
}

}  // namespace ty::telemetry
