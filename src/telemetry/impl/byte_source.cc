#include "telemetry/impl/byte_source.h"

#include <fcntl.h>

#include <algorithm>

#include "telemetry/impl/file.h"
#include "telemetry/impl/seekable_zstd.h"
#include "telemetry/log_paths.h"

namespace ty::telemetry {

namespace {

class PlainFile final : public ByteSource {
 public:
  PlainFile(Fd fd, std::uint64_t size, std::string path)
      : fd_(std::move(fd)), size_(size), path_(std::move(path)) {}
  std::uint64_t size() const override { return size_; }
  bool compressed() const override { return false; }
  int plain_file() const override { return fd_.get(); }

  Result<void> refresh() override {
    TY_TRY(const std::uint64_t now, file_size(fd_.get(), path_));
    // Logs only grow; one that somebody cut short still has the size we promised, and reads of the
    // rest end early.
    size_ = std::max(size_, now);
    return {};
  }

  Result<std::size_t> read_at(std::uint64_t offset, std::span<char> buffer) override {
    if (offset >= size_) return 0;
    const std::size_t wanted =
        static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), size_ - offset));
    return read_file_at(fd_.get(), offset, buffer.first(wanted), path_);
  }

 private:
  Fd fd_;
  std::uint64_t size_;
  std::string path_;
};

}  // namespace

Result<std::unique_ptr<ByteSource>> open_plain(const std::string& path) {
  TY_TRY(Fd fd, open_file(path, O_RDONLY));
  TY_TRY(const std::uint64_t size, file_size(fd.get(), path));
  return std::make_unique<PlainFile>(std::move(fd), size, path);
}

Result<std::unique_ptr<ByteSource>> open_bytes(const std::string& path) {
  auto plain = open_plain(path);
  if (plain || plain.error().code != Errc::NotFound) return plain;
  auto packed = SeekableReader::open(compressed_path(path));
  if (!packed && packed.error().code == Errc::NotFound) return plain;
  if (!packed) return std::unexpected(std::move(packed).error());
  return std::move(*packed);
}

}  // namespace ty::telemetry
