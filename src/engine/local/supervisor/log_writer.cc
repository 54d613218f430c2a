#include "log_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstring>

#include "clock.h"
#include "model/log_index.h"
#include "text.h"

namespace ty::supervisor {
namespace {

constexpr std::size_t kBufferSize = 1 << 20;
constexpr std::size_t kNoteSize = 200;  // of the buffer, for the last line of a full log
constexpr std::int64_t kIndexEveryMs = 20;
constexpr std::uint64_t kIndexEveryBytes = 1 << 20;

alignas(4096) char buffer[kBufferSize];  // untouched pages cost nothing

std::uint64_t count_newlines(const char* bytes, std::size_t size) {
  std::uint64_t lines = 0;
  for (std::size_t i = 0; i < size; ++i) lines += bytes[i] == '\n' ? 1 : 0;
  return lines;
}

}  // namespace

const char* LogWriter::open(const char* path) {
  const int log = ::open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0640);
  if (log < 0) return "the log cannot be opened";
  Path index_path;
  index_path.add(path).add(".idx");
  const int index = ::open(index_path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640);
  if (index < 0) return "the index of the log cannot be opened";
  open(log, index);
  return nullptr;
}

void LogWriter::open(int log, int index) {
  log_ = log;
  index_ = index;
  index_size_ = lseek(index_, 0, SEEK_END);
  // Somebody may have written a word to the user before us.
  while (true) {
    const ssize_t n = read(log_, buffer, kBufferSize);
    if (n <= 0) break;
    lines_ += count_newlines(buffer, static_cast<std::size_t>(n));
    offset_ += static_cast<std::uint64_t>(n);
  }
  indexed_offset_ = offset_;
}

/// Cuts what was just read to what the log may still take, and says so behind it.
void LogWriter::keep_within_limit() {
  if (is_full_) {
    kept_ = 0;
    return;
  }
  if (limit_ == 0 || offset_ + kept_ <= limit_) return;
  is_full_ = true;
  kept_ = offset_ < limit_ ? static_cast<std::size_t>(limit_ - offset_) : 0;
  Text<kNoteSize> note;
  const bool is_in_line = kept_ > 0 && buffer[kept_ - 1] != '\n';
  note.add(is_in_line ? "\n" : "").add("trainyard: this log has reached its limit of ");
  note.add(static_cast<std::int64_t>(limit_))
      .add(" bytes; what the task writes from here on is not kept\n");
  std::memcpy(buffer + kept_, note.c_str(), note.view().size());
  kept_ += note.view().size();
}

LogWriter::Got LogWriter::pump(int pipe) {
  const ssize_t n = read(pipe, buffer, kBufferSize - kNoteSize);
  if (n == 0) return Got::End;
  if (n < 0) return errno == EAGAIN || errno == EINTR ? Got::Nothing : Got::End;
  const std::int64_t now = now_ms();
  const std::uint64_t chunk_offset = offset_;
  const std::uint64_t chunk_lines = lines_;
  start_ = 0;
  kept_ = static_cast<std::size_t>(n);
  keep_within_limit();
  flush();
  // Bytes first, then the record: a record never points past the end of the log. A burst shares
  // one record per 20 ms or MB; a slow writer gets one per chunk.
  const bool is_due = now - indexed_at_ >= kIndexEveryMs || now < indexed_at_ ||
                      chunk_offset - indexed_offset_ >= kIndexEveryBytes;
  if (is_due && offset_ > chunk_offset) add_record(now, chunk_offset, chunk_lines);
  return Got::Bytes;
}

void LogWriter::add_record(std::int64_t at_ms, std::uint64_t offset, std::uint64_t lines_before) {
  const model::LogIndexRecord record{at_ms, offset, lines_before};
  const ssize_t n = write(index_, &record, sizeof(record));
  if (n == sizeof(record)) {
    index_size_ += n;
    indexed_at_ = at_ms;
    indexed_offset_ = offset;
  } else if (n > 0 && ftruncate(index_, index_size_) != 0) {
    // Half a record would shift all that follow; without an index the log is still whole.
    close(index_);
    index_ = -1;
  }
}

void LogWriter::flush() {
  while (kept_ > 0) {
    const ssize_t n = write(log_, buffer + start_, kept_);
    if (n < 0) {
      if (errno == EINTR) continue;
      errno_ = errno;
      return;
    }
    lines_ += count_newlines(buffer + start_, static_cast<std::size_t>(n));
    offset_ += static_cast<std::uint64_t>(n);
    start_ += static_cast<std::size_t>(n);
    kept_ -= static_cast<std::size_t>(n);
  }
}

}  // namespace ty::supervisor
