#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "telemetry/impl/byte_source.h"
#include "telemetry/impl/file.h"

struct ZSTD_CCtx_s;
struct ZSTD_DCtx_s;

/// zstd's "seekable format": independent frames, then a table of their sizes inside a frame that
/// decoders skip. So `zstd -d` gives back the whole file, and we read any part of it by decoding
/// only the frames it touches.
namespace ty::telemetry {

/// Most bytes in one frame, before compression.
inline constexpr std::size_t kFrameBytes = std::size_t{1} << 20;

class SeekableWriter {
 public:
  /// Appends to `fd`, which stays the caller's and must be empty.
  SeekableWriter(int fd, std::string path, int level);
  ~SeekableWriter();
  SeekableWriter(const SeekableWriter&) = delete;
  SeekableWriter& operator=(const SeekableWriter&) = delete;
  /// One frame; 1…kFrameBytes bytes.
  Result<void> add_frame(std::string_view bytes);
  /// The table; nothing may be added after it.
  Result<void> finish();

 private:
  struct Entry {
    std::uint32_t packed, plain;
  };
  int fd_;
  std::string path_;
  ZSTD_CCtx_s* context_;
  std::vector<char> packed_;
  std::vector<Entry> entries_;
};

class SeekableReader final : public ByteSource {
 public:
  /// Errc::Internal when the file is damaged; every frame also carries a checksum, verified when it
  /// is read.
  static Result<std::unique_ptr<SeekableReader>> open(const std::string& path);
  ~SeekableReader() override;

  std::uint64_t size() const override { return frames_.back().plain; }
  bool compressed() const override { return true; }
  Result<void> refresh() override { return {}; }
  Result<std::size_t> read_at(std::uint64_t offset, std::span<char> buffer) override;

 private:
  /// Where a frame begins, in the file and in the text; the last row is the end of both.
  struct Frame {
    std::uint64_t packed, plain;
  };
  SeekableReader(Fd fd, std::string path, std::vector<Frame> frames);
  Result<void> decode(std::size_t frame, std::span<char> out);

  Fd fd_;
  std::string path_;
  std::vector<Frame> frames_;
  ZSTD_DCtx_s* context_;
  std::vector<char> packed_;
  std::vector<char> cache_;  ///< the text of frame `cached_`
  std::size_t cached_;
};

}  // namespace ty::telemetry
