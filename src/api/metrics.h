#pragma once
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ty::api {

/// Figures of the HTTP edge, per operation. Any thread; recording is a few relaxed additions.
class Metrics {
 public:
  explicit Metrics(std::vector<std::string_view> operation_ids);

  /// `operation` is an index into the ids; null is a request that matched none.
  void record(std::optional<std::size_t> operation,
              int status,
              std::uint64_t sent,
              std::chrono::nanoseconds took);
  void refused() { refused_.fetch_add(1, std::memory_order_relaxed); }

  /// Prometheus text.
  std::string render() const;

 private:
  /// Upper bounds in microseconds; one more bucket for the rest.
  static constexpr std::array<std::int64_t, 10> kBounds = {
      100, 250, 1'000, 2'500, 10'000, 25'000, 100'000, 250'000, 1'000'000, 10'000'000};

  struct Row {
    std::array<std::atomic<std::uint64_t>, 5> by_class{};  ///< 1xx … 5xx
    std::array<std::atomic<std::uint64_t>, kBounds.size() + 1> buckets{};
    std::atomic<std::uint64_t> nanoseconds = 0;
    std::atomic<std::uint64_t> sent = 0;
  };

  std::vector<std::string_view> ids_;
  std::vector<Row> rows_;  ///< one per id, and the last for those that matched none
  std::atomic<std::uint64_t> refused_ = 0;
};

/// This process: memory, CPU time, open files; Prometheus text.
std::string process_metrics();

}  // namespace ty::api
