#include "telemetry/log_reader.h"

#include <algorithm>
#include <cstring>

#include "telemetry/impl/byte_source.h"
#include "telemetry/impl/log_index.h"
#include "telemetry/log_paths.h"
#include "telemetry/messages.h"

namespace ty::telemetry {

namespace {
constexpr std::size_t kScan = std::size_t{256} << 10;
/// So far back the last lines are looked for in the bytes themselves; beyond it the index is
/// quicker.
constexpr std::uint64_t kLookBack = std::uint64_t{4} << 20;
/// An index that says nothing about so many bytes is no help: reading on backwards is quicker.
constexpr std::uint64_t kFarApart = std::uint64_t{64} << 20;
/// An index knows something about every MiB. Without one no question looks through more than this:
/// a log may have any size, and whoever asks next is waiting.
constexpr std::uint64_t kMostScan = std::uint64_t{256} << 20;
/// Up to so many newlines are found one by one.
constexpr std::uint64_t kWalk = 100;

std::unexpected<Error> too_far() { return fail(Errc::Unavailable, say::log_without_index()); }

std::uint64_t count_newlines(std::span<const char> bytes) {
  return static_cast<std::uint64_t>(std::ranges::count(bytes, '\n'));
}
}  // namespace

Result<LogReader> LogReader::open(const std::string& path) {
  TY_TRY(auto bytes, open_bytes(path));
  return LogReader(std::move(bytes), path);
}

LogReader::LogReader(std::unique_ptr<ByteSource> bytes, std::string path)
    : bytes_(std::move(bytes)), index_(std::make_unique<LogIndex>()), path_(std::move(path)) {}
LogReader::LogReader(std::unique_ptr<ByteSource> bytes, std::unique_ptr<ByteSource> index)
    : bytes_(std::move(bytes)), index_(std::make_unique<LogIndex>(std::move(index))) {}
LogReader::LogReader(LogReader&&) noexcept = default;
LogReader& LogReader::operator=(LogReader&&) noexcept = default;
LogReader::~LogReader() = default;

std::uint64_t LogReader::size() const { return bytes_->size(); }
bool LogReader::compressed() const { return bytes_->compressed(); }
int LogReader::plain_file() const { return bytes_->plain_file(); }
bool LogReader::has_times() {
  const auto known = index();
  return known && (*known)->count() > 0;
}

Result<void> LogReader::refresh() {
  index_is_fresh_ = false;
  return bytes_->refresh();
}

Result<LogIndex*> LogReader::index() {
  if (!index_is_fresh_) TY_DO(index_->refresh(*bytes_, index_path(path_)));
  index_is_fresh_ = true;
  return index_.get();
}

Result<std::size_t> LogReader::read_at(std::uint64_t offset, std::span<char> buffer) {
  return bytes_->read_at(offset, buffer);
}

ByteRange LogReader::bytes(ByteRange wanted) const {
  const std::uint64_t end = std::min(wanted.end, size());
  return {std::min(wanted.begin, end), end};
}

std::span<char> LogReader::scratch() {
  scratch_.resize(kScan);
  return scratch_;
}

Result<std::uint64_t> LogReader::newlines_between(std::uint64_t begin, std::uint64_t end) {
  std::uint64_t lines = 0;
  if (end > begin && end - begin > kMostScan) return too_far();
  while (begin < end) {
    const std::size_t wanted =
        static_cast<std::size_t>(std::min<std::uint64_t>(kScan, end - begin));
    TY_TRY(const std::size_t got, read_at(begin, scratch().first(wanted)));
    if (got == 0) break;
    lines += count_newlines({scratch_.data(), got});
    begin += got;
  }
  return lines;
}

Result<std::optional<std::uint64_t>> LogReader::after_newlines(std::uint64_t from,
                                                               std::uint64_t end,
                                                               std::uint64_t count) {
  if (count == 0) return from;
  const std::uint64_t limit = from + kMostScan;
  while (from < end) {
    if (from >= limit) return too_far();
    const std::size_t wanted = static_cast<std::size_t>(std::min<std::uint64_t>(kScan, end - from));
    TY_TRY(const std::size_t got, read_at(from, scratch().first(wanted)));
    if (got == 0) break;
    // Counting a whole block is much quicker than walking it newline by newline, if there are many
    // to pass.
    if (count > kWalk) {
      const std::uint64_t here = count_newlines({scratch_.data(), got});
      if (here < count) {
        count -= here;
        from += got;
        continue;
      }
    }
    const char* at = scratch_.data();
    const char* block_end = scratch_.data() + got;
    while (const void* newline = std::memchr(at, '\n', static_cast<std::size_t>(block_end - at))) {
      at = static_cast<const char*>(newline) + 1;
      if (--count == 0) return from + static_cast<std::uint64_t>(at - scratch_.data());
    }
    from += got;
  }
  return std::nullopt;
}

Result<std::uint64_t> LogReader::newlines_before(std::uint64_t offset, LinePlace known) {
  TY_TRY(LogIndex* const records, index());
  TY_TRY(const auto record, records->covering(offset));
  if (record && record->offset > known.offset) known = {record->offset, record->lines_before + 1};
  TY_TRY(const std::uint64_t rest, newlines_between(known.offset, offset));
  return known.line - 1 + rest;
}

Result<std::uint64_t> LogReader::newlines() { return newlines_before(size()); }

Result<std::uint64_t> LogReader::line_count() {
  if (size() == 0) return 0;
  TY_TRY(const std::uint64_t newlines, newlines_before(size()));
  char last = 0;
  TY_DO(read_at(size() - 1, {&last, 1}));
  return newlines + (last == '\n' ? 0 : 1);
}

Result<std::uint64_t> LogReader::line_at(std::uint64_t offset, LinePlace known) {
  TY_TRY(const std::uint64_t newlines, newlines_before(std::min(offset, size()), known));
  return newlines + 1;
}

Result<std::optional<Time>> LogReader::time_at(std::uint64_t offset) {
  TY_TRY(LogIndex* const records, index());
  TY_TRY(const auto record, records->covering(offset));
  if (!record) return std::nullopt;
  return from_millis(record->at_ms);
}

Result<std::uint64_t> LogReader::line_start(std::uint64_t offset) {
  std::uint64_t end = std::min(offset, size());
  const std::uint64_t limit = end - std::min(end, kMostScan);
  // Most lines are short: begin with a little.
  for (std::uint64_t step = 4096; end > 0; step = kScan) {
    if (end <= limit) return end;  // of a line of this length its last part does
    const std::uint64_t begin = end - std::min(step, end);
    const std::size_t wanted = static_cast<std::size_t>(end - begin);
    TY_TRY(const std::size_t got, read_at(begin, scratch().first(wanted)));
    if (const void* at = ::memrchr(scratch_.data(), '\n', got)) {
      return begin + static_cast<std::uint64_t>(static_cast<const char*>(at) - scratch_.data()) + 1;
    }
    end = begin;
  }
  return 0;
}

Result<std::uint64_t> LogReader::line_end(std::uint64_t offset) {
  const std::uint64_t near = std::min(size(), offset + kScan);
  TY_TRY(const auto close_by, after_newlines(offset, near, 1));
  if (close_by || near == size()) return close_by.value_or(size());
  // A long one: the index knows of every MiB how many line ends came before it.
  TY_TRY(const std::uint64_t newlines, newlines_before(near));
  TY_TRY(LogIndex* const records, index());
  TY_TRY(const auto record, records->before_line_break(newlines + 1));
  const std::uint64_t from = record ? std::max(record->offset, near) : near;
  TY_TRY(const auto after, after_newlines(from, size(), 1));
  return after.value_or(size());
}

Result<std::uint64_t> LogReader::start_of_line(std::uint64_t number, LinePlace known) {
  if (number <= known.line) return known.offset;
  TY_TRY(LogIndex* const records, index());
  TY_TRY(const auto record, records->before_line_break(number - 1));
  if (record && record->offset > known.offset) known = {record->offset, record->lines_before + 1};
  TY_TRY(const auto start, after_newlines(known.offset, size(), number - known.line));
  return start.value_or(size());
}

Result<ByteRange> LogReader::lines(std::uint64_t first, std::uint64_t last) {
  first = std::max<std::uint64_t>(first, 1);
  if (last < first) return ByteRange{};
  TY_TRY(const std::uint64_t begin, start_of_line(first, {0, 1}));
  if (last == UINT64_MAX || begin == size()) return ByteRange{begin, size()};
  TY_TRY(const std::uint64_t end, start_of_line(last + 1, {begin, first}));
  return ByteRange{begin, end};
}

Result<bool> LogReader::index_knows_near(std::uint64_t offset) {
  TY_TRY(LogIndex* const records, index());
  TY_TRY(const auto record, records->covering(offset));
  return record && offset - record->offset <= kFarApart;
}

Result<ByteRange> LogReader::last_lines(std::uint64_t count, std::optional<ByteRange> within) {
  const ByteRange range = bytes(within.value_or(whole()));
  if (count == 0 || range.empty()) return ByteRange{range.end, range.end};

  // The newline that ends the last line does not begin another.
  std::uint64_t end = range.end;
  char last = 0;
  TY_DO(read_at(end - 1, {&last, 1}));
  if (last == '\n') --end;

  std::uint64_t missing = count;
  std::uint64_t step = std::uint64_t{16} << 10;
  for (std::uint64_t at = end; at > range.begin; step = kScan) {
    if (end - at >= kMostScan) return ByteRange{at, range.end};
    TY_TRY(const bool near, end - at >= kLookBack ? index_knows_near(at) : Result<bool>(false));
    if (near) {
      TY_TRY(const std::uint64_t newlines, newlines_before(at));
      if (newlines < missing) return range;
      TY_TRY(const std::uint64_t begin, start_of_line(newlines - missing + 2, {0, 1}));
      return ByteRange{std::max(begin, range.begin), range.end};
    }
    const std::uint64_t begin = at - std::min(step, at - range.begin);
    TY_TRY(std::size_t length,
           read_at(begin, scratch().first(static_cast<std::size_t>(at - begin))));
    while (const void* found = ::memrchr(scratch_.data(), '\n', length)) {
      length = static_cast<std::size_t>(static_cast<const char*>(found) - scratch_.data());
      if (--missing == 0) return ByteRange{begin + length + 1, range.end};
    }
    at = begin;
  }
  return range;
}

Result<std::uint64_t> LogReader::first_line_since(Time time) {
  TY_TRY(LogIndex* const records, index());
  TY_TRY(const auto record, records->first_since(time));
  if (!record) return size();
  // The line these bytes belong to may have begun earlier, but it ended no earlier than now.
  return line_start(record->offset);
}

Result<ByteRange> LogReader::between(std::optional<Time> since, std::optional<Time> until) {
  ByteRange range = whole();
  if (!has_times()) return range;
  if (since) {
    TY_TRY(range.begin, first_line_since(*since));
  }
  if (until) {
    TY_TRY(range.end, first_line_since(*until));
  }
  range.end = std::max(range.begin, range.end);
  return range;
}

LogStream::LogStream(LogReader& reader, ByteRange range, std::size_t piece)
    : reader_(reader),
      at_(range.begin),
      end_(range.end),
      piece_(std::clamp<std::size_t>(piece, 1, kLogChunk)) {}

Result<std::string_view> LogStream::next() {
  if (at_ >= end_) return std::string_view{};
  const std::size_t wanted = static_cast<std::size_t>(std::min<std::uint64_t>(piece_, end_ - at_));
  if (buffer_.size() < wanted) buffer_.resize(wanted);
  TY_TRY(const std::size_t got, reader_.read_at(at_, std::span(buffer_).first(wanted)));
  at_ += got;
  if (got == 0) at_ = end_;
  return std::string_view(buffer_.data(), got);
}

}  // namespace ty::telemetry
