#include "telemetry/impl/seekable_zstd.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>

#include "telemetry/messages.h"

namespace ty::telemetry {

namespace {

constexpr std::uint32_t kSkippableMagic = 0x184D2A5E;
constexpr std::uint32_t kSeekableMagic = 0x8F92EAB1;
constexpr std::size_t kFooterBytes = 9;  // number of frames, descriptor, magic
constexpr std::size_t kHeaderBytes = 8;  // magic, size of what follows
constexpr std::size_t kEntryBytes = 8;
constexpr std::size_t kNoFrame = static_cast<std::size_t>(-1);

void put32(std::string& out, std::uint32_t value) {
  for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>(value >> shift & 0xFF);
}
std::uint32_t get32(const char* at) {
  std::uint32_t value = 0;
  for (int i = 3; i >= 0; --i) value = value << 8 | static_cast<unsigned char>(at[i]);
  return value;
}

std::unexpected<Error> damaged(std::string_view path, std::string_view how) {
  return fail(Errc::Internal, say::compressed_log_damaged({.path = path, .how = how}));
}

}  // namespace

SeekableWriter::SeekableWriter(int fd, std::string path, int level)
    : fd_(fd),
      path_(std::move(path)),
      context_(ZSTD_createCCtx()),
      packed_(ZSTD_compressBound(kFrameBytes)) {
  ZSTD_CCtx_setParameter(context_, ZSTD_c_compressionLevel, level);
  ZSTD_CCtx_setParameter(context_, ZSTD_c_checksumFlag, 1);
}
SeekableWriter::~SeekableWriter() { ZSTD_freeCCtx(context_); }

Result<void> SeekableWriter::add_frame(std::string_view bytes) {
  TY_CHECK(!bytes.empty() && bytes.size() <= kFrameBytes,
           "the log is cut into frames of at most 1 MiB");
  const std::size_t size =
      ZSTD_compress2(context_, packed_.data(), packed_.size(), bytes.data(), bytes.size());
  if (ZSTD_isError(size)) {
    return fail(Errc::Unavailable,
                say::cannot_compress({.path = path_, .why = ZSTD_getErrorName(size)}));
  }
  entries_.push_back({static_cast<std::uint32_t>(size), static_cast<std::uint32_t>(bytes.size())});
  return write_all(fd_, {packed_.data(), size}, path_);
}

Result<void> SeekableWriter::finish() {
  std::string table;
  table.reserve(kHeaderBytes + entries_.size() * kEntryBytes + kFooterBytes);
  put32(table, kSkippableMagic);
  put32(table, static_cast<std::uint32_t>(entries_.size() * kEntryBytes + kFooterBytes));
  for (const Entry& entry : entries_) {
    put32(table, entry.packed);
    put32(table, entry.plain);
  }
  put32(table, static_cast<std::uint32_t>(entries_.size()));
  table += '\0';
  put32(table, kSeekableMagic);
  return write_all(fd_, table, path_);
}

Result<std::unique_ptr<SeekableReader>> SeekableReader::open(const std::string& path) {
  TY_TRY(Fd fd, open_file(path, O_RDONLY));
  TY_TRY(const std::uint64_t size, file_size(fd.get(), path));
  if (size < kHeaderBytes + kFooterBytes) return damaged(path, "it is too short");
  char footer[kFooterBytes];
  TY_TRY(const std::size_t got, read_file_at(fd.get(), size - kFooterBytes, footer, path));
  if (got != kFooterBytes || get32(footer + 5) != kSeekableMagic)
    return damaged(path, "it has no frame table");
  const std::uint64_t count = get32(footer);
  const std::uint64_t table_bytes = kHeaderBytes + count * kEntryBytes + kFooterBytes;
  if (footer[4] != 0 || table_bytes > size) return damaged(path, "its frame table makes no sense");

  std::vector<char> table(static_cast<std::size_t>(count * kEntryBytes));
  TY_DO(read_file_at(fd.get(), size - kFooterBytes - table.size(), table, path));
  std::vector<Frame> frames{{0, 0}};
  frames.reserve(static_cast<std::size_t>(count) + 1);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t packed = get32(&table[i * kEntryBytes]);
    const std::uint32_t plain = get32(&table[i * kEntryBytes + 4]);
    if (packed > ZSTD_compressBound(kFrameBytes) || plain > kFrameBytes)
      return damaged(path, "a frame is too large");
    frames.push_back({frames.back().packed + packed, frames.back().plain + plain});
  }
  if (frames.back().packed + table_bytes != size)
    return damaged(path, "its frame table does not add up");
  return std::unique_ptr<SeekableReader>(
      new SeekableReader(std::move(fd), path, std::move(frames)));
}

SeekableReader::SeekableReader(Fd fd, std::string path, std::vector<Frame> frames)
    : fd_(std::move(fd)),
      path_(std::move(path)),
      frames_(std::move(frames)),
      context_(ZSTD_createDCtx()),
      cached_(kNoFrame) {}
SeekableReader::~SeekableReader() { ZSTD_freeDCtx(context_); }

Result<void> SeekableReader::decode(std::size_t frame, std::span<char> out) {
  packed_.resize(static_cast<std::size_t>(frames_[frame + 1].packed - frames_[frame].packed));
  TY_TRY(const std::size_t got, read_file_at(fd_.get(), frames_[frame].packed, packed_, path_));
  if (got != packed_.size()) return damaged(path_, "it ends too early");
  const std::size_t size =
      ZSTD_decompressDCtx(context_, out.data(), out.size(), packed_.data(), packed_.size());
  if (ZSTD_isError(size)) return damaged(path_, ZSTD_getErrorName(size));
  if (size != out.size()) return damaged(path_, "a frame has another size than its table says");
  return {};
}

Result<std::size_t> SeekableReader::read_at(std::uint64_t offset, std::span<char> buffer) {
  std::size_t done = 0;
  while (done < buffer.size() && offset + done < size()) {
    const std::uint64_t at = offset + done;
    const auto after = std::ranges::upper_bound(frames_, at, {}, &Frame::plain);
    const std::size_t frame = static_cast<std::size_t>(after - frames_.begin()) - 1;
    const std::size_t frame_bytes =
        static_cast<std::size_t>(frames_[frame + 1].plain - frames_[frame].plain);
    const std::size_t inside = static_cast<std::size_t>(at - frames_[frame].plain);
    // Reading straight through goes past the cache: one copy less.
    if (inside == 0 && buffer.size() - done >= frame_bytes && frame != cached_) {
      TY_DO(decode(frame, buffer.subspan(done, frame_bytes)));
      done += frame_bytes;
      continue;
    }
    if (frame != cached_) {
      cached_ = kNoFrame;
      cache_.resize(frame_bytes);
      TY_DO(decode(frame, cache_));
      cached_ = frame;
    }
    const std::size_t n = std::min(buffer.size() - done, frame_bytes - inside);
    std::memcpy(buffer.data() + done, cache_.data() + inside, n);
    done += n;
  }
  return done;
}

}  // namespace ty::telemetry
