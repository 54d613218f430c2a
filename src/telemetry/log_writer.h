#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"

namespace ty::telemetry {

/// Writes a log as the task supervisor does: bytes first, then a record of when they came
/// (model/log_index.h). For the fake engine and tests. One writer per log; not safe from several
/// threads. Opening an existing log appends to it and first repairs an index that a crash left
/// behind the bytes.
class LogWriter {
 public:
  /// Makes missing folders.
  static Result<LogWriter> open(std::string path);
  LogWriter(LogWriter&& other) noexcept;
  LogWriter& operator=(LogWriter&& other) noexcept;
  ~LogWriter();

  /// One chunk and its record. Nothing for empty bytes.
  Result<void> append(std::string_view bytes, Time at);
  /// Returns once both files are on disk.
  Result<void> sync();
  std::uint64_t size() const { return size_; }

 private:
  LogWriter() = default;
  int log_fd_ = -1;
  int index_fd_ = -1;
  std::uint64_t size_ = 0;
  std::uint64_t lines_ = 0;
};

}  // namespace ty::telemetry
