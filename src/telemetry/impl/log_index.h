#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "model/log_index.h"
#include "telemetry/impl/byte_source.h"

namespace ty::telemetry {

/// The records beside a log, as far as they can be believed: whole, in order, and about bytes that
/// exist. What a crash left at the end (half a record, a stretch of zeros, records of bytes that
/// never reached the disk) is left out.
class LogIndex {
 public:
  using Record = model::LogIndexRecord;

  /// Knows nothing until the first `refresh`.
  LogIndex() = default;
  explicit LogIndex(std::unique_ptr<ByteSource> source) : source_(std::move(source)) {}

  /// Looks again, for a log that now is `log`. A missing index may have appeared: it is opened from
  /// `path`.
  Result<void> refresh(ByteSource& log, const std::string& path);
  std::uint64_t count() const { return count_; }
  Result<Record> record(std::uint64_t i);

  /// The last record with `offset` ≤ this; null when there is none.
  Result<std::optional<Record>> covering(std::uint64_t offset);
  /// The last record with fewer than `lines` newlines before it.
  Result<std::optional<Record>> before_line_break(std::uint64_t lines);
  /// The first record of this time or later.
  Result<std::optional<Record>> first_since(Time time);
  /// Number of the record that covers `offset`, counting from 1; 0 when none does.
  Result<std::uint64_t> position(std::uint64_t offset);

 private:
  /// How many records, from the first on, satisfy `holds`, which is true up to some record and
  /// false from there on.
  template <class Holds>
  Result<std::uint64_t> partition(Holds holds);
  Result<std::optional<Record>> last_of(std::uint64_t number);
  Result<bool> believable(std::uint64_t number, ByteSource& log);
  Result<bool> fits(std::uint64_t number, std::uint64_t offset);

  std::unique_ptr<ByteSource> source_;
  std::uint64_t count_ = 0;
  std::vector<Record> block_;  ///< a few records around the last one asked for
  std::uint64_t block_start_ = 0;
  std::uint64_t hint_ = 0;  ///< the last answer of `position`: readers mostly go forward
};

}  // namespace ty::telemetry
