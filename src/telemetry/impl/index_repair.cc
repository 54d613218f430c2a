#include "telemetry/impl/index_repair.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "model/log_index.h"
#include "telemetry/impl/byte_source.h"
#include "telemetry/impl/file.h"
#include "telemetry/log_paths.h"
#include "telemetry/messages.h"

namespace ty::telemetry {
namespace {

using Record = model::LogIndexRecord;

constexpr std::uint64_t kBlock = std::uint64_t{1} << 20;
/// Writers leave a record at least so often; where there is none, some were lost.
constexpr std::uint64_t kWidestGap = 4 * kBlock;
constexpr std::size_t kRecordsAtOnce = 4096;
constexpr std::int64_t kLatestMs = std::int64_t{1} << 43;  // in the year 2248

/// When a file was made, as far as its file system knows, and when it was last written.
struct FileTimes {
  std::int64_t made_ms = 0;
  std::int64_t written_ms = 0;
};

FileTimes times_of(const std::string& path) {
  struct statx is = {};
  if (::statx(AT_FDCWD, path.c_str(), 0, STATX_BTIME | STATX_MTIME, &is) != 0) return {};
  const auto ms = [](const statx_timestamp& t) -> std::int64_t {
    return t.tv_sec * 1000 + t.tv_nsec / 1'000'000;
  };
  const std::int64_t written = ms(is.stx_mtime);
  const bool has_birth = (is.stx_mask & STATX_BTIME) != 0;
  return {.made_ms = has_birth ? std::min(ms(is.stx_btime), written) : written,
          .written_ms = written};
}

/// How many newlines come before any byte, after one pass over the whole log.
class NewlineCount {
 public:
  static Result<NewlineCount> of(ByteSource& log, const std::function<bool()>& stop) {
    NewlineCount count(log);
    for (std::uint64_t at = 0; at < log.size(); at += kBlock) {
      if (stop && stop()) return fail(Errc::Unavailable, say::stopped_before_its_end());
      TY_DO(count.load(at / kBlock));
      const std::uint64_t before = count.before_block_.back();
      count.before_block_.push_back(before + lines_in(count.block_));
    }
    return count;
  }

  Result<std::uint64_t> before(std::uint64_t offset) {
    if (loaded_ != offset / kBlock) TY_DO(load(offset / kBlock));
    return before_block_[*loaded_] +
           lines_in(std::span(block_).first(std::min<std::size_t>(offset % kBlock, block_.size())));
  }

 private:
  explicit NewlineCount(ByteSource& log) : log_(log) {}
  static std::uint64_t lines_in(std::span<const char> bytes) {
    return static_cast<std::uint64_t>(std::ranges::count(bytes, '\n'));
  }
  Result<void> load(std::uint64_t number) {
    block_.resize(kBlock);
    TY_TRY(const std::size_t got, log_.read_at(number * kBlock, block_));
    block_.resize(got);
    loaded_ = number;
    return {};
  }

  ByteSource& log_;
  std::vector<std::uint64_t> before_block_ = {0};
  std::vector<char> block_;
  std::optional<std::uint64_t> loaded_;
};

/// The records of a repaired index, in order, written as they come.
class NewIndex {
 public:
  NewIndex(NewlineCount& lines, int fd, std::string path, FileTimes times)
      : lines_(lines), fd_(fd), path_(std::move(path)), times_(times) {}

  /// Fills what is missing before `offset`, whose time is `at_ms`.
  Result<void> reach(std::uint64_t offset, std::int64_t at_ms) {
    while (next_block() + kWidestGap < offset || (!last_ && offset > 0)) {
      const std::uint64_t at = last_ ? next_block() : 0;
      TY_TRY(const std::uint64_t before, lines_.before(at));
      TY_DO(add({.at_ms = last_ ? last_->at_ms : std::min(times_.made_ms, at_ms),
                 .offset = at,
                 .lines_before = before}));
      has_filled_ = true;
    }
    return {};
  }
  Result<void> add(const Record& record) {
    last_ = record;
    buffer_.push_back(record);
    return buffer_.size() < kRecordsAtOnce ? Result<void>{} : flush();
  }
  Result<void> flush() {
    const std::string_view bytes(reinterpret_cast<const char*>(buffer_.data()),
                                 buffer_.size() * sizeof(Record));
    TY_DO(write_all(fd_, bytes, path_));
    buffer_.clear();
    return {};
  }
  const std::optional<Record>& last() const { return last_; }
  bool has_filled() const { return has_filled_; }

 private:
  std::uint64_t next_block() const { return last_ ? last_->offset / kBlock * kBlock + kBlock : 0; }

  NewlineCount& lines_;
  int fd_;
  std::string path_;
  FileTimes times_;
  std::optional<Record> last_;
  std::vector<Record> buffer_;
  bool has_filled_ = false;
};

Result<bool> agrees(const Record& record,
                    const std::optional<Record>& last,
                    std::uint64_t size,
                    NewlineCount& lines) {
  if (record.offset >= size || (last && record.offset <= last->offset)) return false;
  if (record.at_ms <= 0 || record.at_ms > kLatestMs) return false;
  TY_TRY(const std::uint64_t before, lines.before(record.offset));
  return record.lines_before == before;
}

}  // namespace

Result<bool> repair_index(const std::string& log_path, const std::function<bool()>& stop) {
  TY_TRY(auto log, open_plain(log_path));
  if (log->size() == 0) return false;
  const std::string path = index_path(log_path);
  auto old = open_plain(path);
  TY_TRY(NewlineCount lines, NewlineCount::of(*log, stop));
  const FileTimes times = times_of(log_path);
  const std::string temporary = path + ".tmp";
  TY_TRY(const Fd out, open_file(temporary, O_WRONLY | O_CREAT | O_TRUNC));
  NewIndex made(lines, out.get(), temporary, times);

  bool is_wrong = !old || (*old)->size() % sizeof(Record) != 0;
  const std::uint64_t count = old ? (*old)->size() / sizeof(Record) : 0;
  std::vector<Record> records;
  for (std::uint64_t first = 0; first < count; first += records.size()) {
    if (stop && stop()) return fail(Errc::Unavailable, say::stopped_before_its_end());
    records.resize(std::min<std::uint64_t>(kRecordsAtOnce, count - first));
    const std::span<char> raw(reinterpret_cast<char*>(records.data()),
                              records.size() * sizeof(Record));
    TY_TRY(const std::size_t got, (*old)->read_at(first * sizeof(Record), raw));
    records.resize(got / sizeof(Record));
    if (records.empty()) break;
    for (const Record& record : records) {
      TY_TRY(const bool is_right, agrees(record, made.last(), log->size(), lines));
      is_wrong = is_wrong || !is_right;
      if (!is_right) continue;
      TY_DO(made.reach(record.offset, record.at_ms));
      TY_DO(made.add(record));
    }
  }
  TY_DO(made.reach(log->size(), times.written_ms));
  TY_DO(made.flush());
  if (!is_wrong && !made.has_filled()) {
    TY_DO(remove_file(temporary));
    return false;
  }
  TY_DO(sync_file(out.get(), temporary));
  TY_DO(rename_file(temporary, path));
  return true;
}

}  // namespace ty::telemetry
