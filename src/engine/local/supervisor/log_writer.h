#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ty::supervisor {

/// Appends a task's bytes to its log and keeps the index beside it (model/log_index.h).
///
/// Nothing is ever dropped: what the disk does not take stays in the buffer, `is_stuck()` says so,
/// and the task waits on its full pipe until `flush()` gets through. The one exception is said in
/// the log itself: past its limit, what comes is read and forgotten, so that the task runs on.
class LogWriter {
 public:
  /// Null, or what failed.
  const char* open(const char* path);
  /// With files that are open already.
  void open(int log, int index);
  /// Bytes; 0: none.
  void set_limit(std::int64_t bytes) { limit_ = static_cast<std::uint64_t>(bytes); }

  /// Reads what the pipe holds now, once, and writes it. Not while stuck.
  enum class Got : unsigned char { Bytes, Nothing, End };
  Got pump(int pipe);
  /// Tries again to write what is kept.
  void flush();

  bool is_stuck() const { return kept_ > 0; }
  /// Why it is stuck, as errno.
  int stuck_errno() const { return errno_; }
  std::uint64_t bytes() const { return offset_; }

 private:
  void add_record(std::int64_t at_ms, std::uint64_t offset, std::uint64_t lines_before);

  void keep_within_limit();

  int log_ = -1;
  int index_ = -1;
  std::uint64_t offset_ = 0;  // bytes in the log
  std::uint64_t lines_ = 0;   // newlines in the log
  std::int64_t index_size_ = 0;
  std::int64_t indexed_at_ = 0;
  std::uint64_t indexed_offset_ = 0;
  std::size_t start_ = 0;  // of what is kept in the buffer
  std::size_t kept_ = 0;
  int errno_ = 0;
  std::uint64_t limit_ = 0;
  bool is_full_ = false;
};

}  // namespace ty::supervisor
