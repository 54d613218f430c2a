#include "telemetry/impl/log_index.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "telemetry/log_paths.h"
#include "telemetry/messages.h"

namespace ty::telemetry {

static_assert(std::endian::native == std::endian::little,
              "index records are read as they lie on disk");

namespace {
constexpr std::uint64_t kRecordBytes = sizeof(LogIndex::Record);
constexpr std::uint64_t kBlockRecords = 170;
/// A file system gives a file some MiB ahead; what has more zeros at its end is no index of ours.
constexpr std::uint64_t kMostBlanks = 1'000'000;

/// Zeros: space the file system had given the file before its bytes came.
bool blank(const LogIndex::Record& r) { return r.at_ms <= 0; }

bool follows(const LogIndex::Record& before, const LogIndex::Record& next) {
  return next.offset > before.offset && next.lines_before >= before.lines_before &&
         next.lines_before - before.lines_before <= next.offset - before.offset;
}

Result<bool> has_newline(ByteSource& log, std::uint64_t begin, std::uint64_t end) {
  std::vector<char> buffer(static_cast<std::size_t>(std::min<std::uint64_t>(end - begin, 65'536)));
  while (begin < end) {
    const auto wanted =
        static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), end - begin));
    TY_TRY(const std::size_t got, log.read_at(begin, std::span(buffer).first(wanted)));
    if (got == 0) break;
    if (std::memchr(buffer.data(), '\n', got)) return true;
    begin += got;
  }
  return false;
}
}  // namespace

Result<LogIndex::Record> LogIndex::record(std::uint64_t i) {
  if (i < block_start_ || i >= block_start_ + block_.size()) {
    block_start_ = i / kBlockRecords * kBlockRecords;
    block_.resize(kBlockRecords);
    const std::span<char> raw(reinterpret_cast<char*>(block_.data()), block_.size() * kRecordBytes);
    auto got = source_->read_at(block_start_ * kRecordBytes, raw);
    block_.resize(got ? *got / kRecordBytes : 0);
    if (!got) return std::unexpected(std::move(got).error());
    if (i >= block_start_ + block_.size()) return fail(Errc::Internal, say::log_index_shorter());
  }
  return block_[static_cast<std::size_t>(i - block_start_)];
}

Result<void> LogIndex::refresh(ByteSource& log, const std::string& path) {
  if (!source_) {
    auto opened = open_bytes(path);
    if (!opened) return {};  // missing or damaged: the log is readable without
    source_ = std::move(*opened);
  }
  TY_DO(source_->refresh());
  std::uint64_t count = source_->size() / kRecordBytes;
  if (count == count_) return {};
  // The last block may have been read while its end was still missing.
  block_.clear();

  for (std::uint64_t blanks = 0; count > count_; --count) {
    TY_TRY(const Record last, record(count - 1));
    if (!blank(last)) break;
    if (++blanks > kMostBlanks) return {};
  }
  // Records of bytes that are not there (yet).
  const std::uint64_t known = count_;
  count_ = count;
  TY_TRY(count, partition([&](const Record& r) { return r.offset < log.size(); }));
  count = std::max(count, known);
  for (; count > known; --count) {
    TY_TRY(const bool yes, believable(count - 1, log));
    if (yes) break;
  }
  count_ = count;
  return {};
}

/// A power cut loses whole sectors, so a torn record has lost its last one, two or three numbers.
/// That shows, except where zero newlines are possible: there the bytes themselves must say so.
Result<bool> LogIndex::believable(std::uint64_t number, ByteSource& log) {
  TY_TRY(const Record last, record(number));
  Record before;
  if (number > 0) {
    TY_TRY(before, record(number - 1));
    if (!follows(before, last)) return false;
  }
  if (blank(last) || last.lines_before > last.offset) return false;
  if (last.lines_before > 0 || last.offset == 0) return true;
  TY_TRY(const bool newline, has_newline(log, before.offset, last.offset));
  return !newline;
}

template <class Holds>
Result<std::uint64_t> LogIndex::partition(Holds holds) {
  std::uint64_t low = 0;
  std::uint64_t high = count_;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    TY_TRY(const Record r, record(middle));
    if (holds(r))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

Result<std::optional<LogIndex::Record>> LogIndex::last_of(std::uint64_t number) {
  if (number == 0) return std::nullopt;
  TY_TRY(const Record r, record(number - 1));
  return r;
}

Result<bool> LogIndex::fits(std::uint64_t number, std::uint64_t offset) {
  if (number > count_) return false;
  if (number > 0) {
    TY_TRY(const Record covering, record(number - 1));
    if (covering.offset > offset) return false;
  }
  if (number == count_) return true;
  TY_TRY(const Record next, record(number));
  return next.offset > offset;
}

Result<std::uint64_t> LogIndex::position(std::uint64_t offset) {
  for (const std::uint64_t guess : {hint_, hint_ + 1}) {
    TY_TRY(const bool right, fits(guess, offset));
    if (right) return hint_ = guess;
  }
  TY_TRY(hint_, partition([&](const Record& r) { return r.offset <= offset; }));
  return hint_;
}

Result<std::optional<LogIndex::Record>> LogIndex::covering(std::uint64_t offset) {
  TY_TRY(const std::uint64_t number, position(offset));
  return last_of(number);
}

Result<std::optional<LogIndex::Record>> LogIndex::before_line_break(std::uint64_t lines) {
  TY_TRY(const std::uint64_t number,
         partition([&](const Record& r) { return r.lines_before < lines; }));
  return last_of(number);
}

Result<std::optional<LogIndex::Record>> LogIndex::first_since(Time time) {
  const std::int64_t ms = to_millis(time);
  TY_TRY(const std::uint64_t number, partition([&](const Record& r) { return r.at_ms < ms; }));
  if (number == count_) return std::nullopt;
  TY_TRY(const Record r, record(number));
  return r;
}

}  // namespace ty::telemetry
