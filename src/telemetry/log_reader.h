#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "model/log_index.h"

namespace ty::telemetry {

class ByteSource;
class LogIndex;

/// Most bytes handed out at once; also the size of a compressed frame.
inline constexpr std::size_t kLogChunk = std::size_t{1} << 20;

/// Half open: `end` is the first byte not in it.
struct ByteRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t size() const { return end - begin; }
  bool empty() const { return end <= begin; }
  bool operator==(const ByteRange&) const = default;
};

/// A part of a log on its way to somebody: its bytes, or where they lie in a plain file, so that
/// who only passes them on never touches them.
struct LogPiece {
  std::string_view bytes;  ///< when `file` is -1
  int file = -1;           ///< open as long as whoever handed this out
  ByteRange range;         ///< in `file`
  bool empty() const { return bytes.empty() && range.empty(); }
};

/// The start of a line and its number.
struct LinePlace {
  std::uint64_t offset = 0;
  std::uint64_t line = 1;
};

/// One task's log, running or ended, plain or compressed: the same answers either way.
///
/// Every question (last lines, a range of lines, a stretch of time) is answered by a ByteRange,
/// which `stream` or `read_at` then delivers in pieces of at most 1 MiB. Nothing here ever holds
/// more than that: not for a log of 10 GB, not for one line of 100 MB.
///
/// Lines are counted from 1; the last may lack its newline. A line's time is when its end arrived.
/// A missing or torn index costs speed and times, never content; what cannot be found without it by
/// reading 256 MiB is not looked for (Unavailable), and of a line or an end longer than that the
/// last part is given.
///
/// Calls read files and may block for a moment; long scans (no index, huge lines) belong on a
/// blocking pool. One thread at a time. The log may grow meanwhile: answers are about the size seen
/// at `open` or the last `refresh`. A log that is compressed or deleted while it is open stays
/// readable to the end.
class LogReader {
 public:
  /// Errc::NotFound when there is no such log (yet).
  static Result<LogReader> open(const std::string& path);
  /// A log that lies elsewhere than in a file, and its index.
  LogReader(std::unique_ptr<ByteSource> bytes, std::unique_ptr<ByteSource> index);
  LogReader(LogReader&&) noexcept;
  LogReader& operator=(LogReader&&) noexcept;
  ~LogReader();

  std::uint64_t size() const;
  ByteRange whole() const { return {0, size()}; }
  bool compressed() const;
  /// The reader's own descriptor of a log that is not compressed, else -1.
  int plain_file() const;
  /// False: there is no usable index, so times are unknown.
  bool has_times();
  /// Takes note of what was appended since.
  Result<void> refresh();

  /// The part of `wanted` that exists.
  ByteRange bytes(ByteRange wanted) const;
  /// The last `count` lines inside `within`.
  Result<ByteRange> last_lines(std::uint64_t count, std::optional<ByteRange> within = {});
  /// Lines `first` to `last`, both included; what lies beyond the end is left out.
  Result<ByteRange> lines(std::uint64_t first, std::uint64_t last);
  /// Lines whose time t is `since` ≤ t < `until`. Everything when times are unknown.
  Result<ByteRange> between(std::optional<Time> since, std::optional<Time> until);

  Result<std::uint64_t> line_count();
  Result<std::uint64_t> newlines();
  /// The number of the line that holds the byte at `offset`. `known` is a line before it, from
  /// which to count where the index knows none closer.
  Result<std::uint64_t> line_at(std::uint64_t offset, LinePlace known = {});
  /// When the byte at `offset` arrived; null when unknown.
  Result<std::optional<Time>> time_at(std::uint64_t offset);
  /// Start of the line that holds the byte at `offset`.
  Result<std::uint64_t> line_start(std::uint64_t offset);
  /// One past the newline that ends the line holding `offset`, or the size of the log.
  Result<std::uint64_t> line_end(std::uint64_t offset);

  /// Fills `buffer` from `offset` on; fewer bytes only at the end of the log.
  Result<std::size_t> read_at(std::uint64_t offset, std::span<char> buffer);

 private:
  LogReader(std::unique_ptr<ByteSource> bytes, std::string path);
  Result<std::uint64_t> newlines_between(std::uint64_t begin, std::uint64_t end);
  /// One past the `count`-th newline at or after `from`; null when there are fewer before `end`.
  Result<std::optional<std::uint64_t>> after_newlines(std::uint64_t from,
                                                      std::uint64_t end,
                                                      std::uint64_t count);
  Result<std::uint64_t> newlines_before(std::uint64_t offset, LinePlace known = {});
  /// `known` is a start of a line to search from, where the index knows nothing closer. The size
  /// when there is no such line.
  Result<std::uint64_t> start_of_line(std::uint64_t number, LinePlace known);
  Result<std::uint64_t> first_line_since(Time time);
  Result<bool> index_knows_near(std::uint64_t offset);
  std::span<char> scratch();
  /// The index as of the last `refresh`, opened when it is first needed: followers never need it.
  Result<LogIndex*> index();

  std::unique_ptr<ByteSource> bytes_;
  std::unique_ptr<LogIndex> index_;
  bool index_is_fresh_ = false;
  std::string path_;
  std::vector<char> scratch_;
};

/// Pulls a range out of a log piece by piece.
///
///     LogStream stream(reader, range);
///     for (;;) { TY_TRY(auto piece, stream.next()); if (piece.empty()) break; … }
class LogStream {
 public:
  /// The reader must outlive the stream; several streams may share one reader in turn.
  LogStream(LogReader& reader, ByteRange range, std::size_t piece = kLogChunk);
  /// Valid until the next call; empty at the end of the range.
  Result<std::string_view> next();
  std::uint64_t position() const { return at_; }

 private:
  LogReader& reader_;
  std::uint64_t at_;
  std::uint64_t end_;
  std::size_t piece_;
  std::vector<char> buffer_;
};

}  // namespace ty::telemetry
