#include "telemetry/log_writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "model/log_index.h"
#include "telemetry/impl/file.h"
#include "telemetry/impl/log_index.h"
#include "telemetry/log_paths.h"
#include "telemetry/log_reader.h"
#include "telemetry/messages.h"

namespace ty::telemetry {

Result<LogWriter> LogWriter::open(std::string path) {
  TY_DO(make_folders(std::filesystem::path(path).parent_path().string()));
  // A new plain file would hide the compressed one from every reader.
  if (std::filesystem::exists(compressed_path(path))) {
    return fail(Errc::Conflict, say::log_has_ended({.path = path}));
  }
  TY_TRY(Fd log, open_file(path, O_WRONLY | O_CREAT | O_APPEND));
  TY_TRY(Fd index, open_file(index_path(path), O_RDWR | O_CREAT | O_APPEND));
  LogWriter writer;
  TY_TRY(writer.size_, file_size(log.get(), path));

  // The reader knows which records to believe; those after them would hide what we append.
  TY_TRY(LogReader reader, LogReader::open(path));
  TY_TRY(writer.lines_, reader.newlines());
  TY_TRY(auto bytes, open_plain(path));
  LogIndex believed;
  TY_DO(believed.refresh(*bytes, index_path(path)));
  const auto keep = static_cast<off_t>(believed.count() * sizeof(model::LogIndexRecord));
  if (::ftruncate(index.get(), keep) != 0)
    return std::unexpected(file_error("repairing", index_path(path)));

  writer.log_fd_ = log.release();
  writer.index_fd_ = index.release();
  return writer;
}

LogWriter::LogWriter(LogWriter&& other) noexcept { *this = std::move(other); }

LogWriter& LogWriter::operator=(LogWriter&& other) noexcept {
  std::swap(log_fd_, other.log_fd_);
  std::swap(index_fd_, other.index_fd_);
  std::swap(size_, other.size_);
  std::swap(lines_, other.lines_);
  return *this;
}

LogWriter::~LogWriter() {
  if (log_fd_ >= 0) ::close(log_fd_);
  if (index_fd_ >= 0) ::close(index_fd_);
}

Result<void> LogWriter::append(std::string_view bytes, Time at) {
  if (bytes.empty()) return {};
  const model::LogIndexRecord record{to_millis(at), size_, lines_};
  TY_DO(write_all(log_fd_, bytes, "the log"));
  size_ += bytes.size();
  lines_ += static_cast<std::uint64_t>(std::ranges::count(bytes, '\n'));
  return write_all(
      index_fd_, {reinterpret_cast<const char*>(&record), sizeof record}, "the log's index");
}

Result<void> LogWriter::sync() {
  TY_DO(sync_file(log_fd_, "the log"));
  return sync_file(index_fd_, "the log's index");
}

}  // namespace ty::telemetry
