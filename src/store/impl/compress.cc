#include "store/impl/compress.h"

#include <zstd.h>

#include <memory>

#include "store/messages.h"

namespace ty::store {

namespace {

/// Far above any job file; guards against a damaged header asking for all memory.
constexpr unsigned long long kLargest = 256ull << 20;
constexpr int kLevel = -1;

struct FreeContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

}  // namespace

std::string compress(std::string_view bytes) {
  // Making a context costs more than packing a small file with it.
  thread_local const std::unique_ptr<ZSTD_CCtx, FreeContext> context(ZSTD_createCCtx());
  std::string packed(ZSTD_compressBound(bytes.size()), '\0');
  const std::size_t size = ZSTD_compressCCtx(
      context.get(), packed.data(), packed.size(), bytes.data(), bytes.size(), kLevel);
  TY_CHECK(!ZSTD_isError(size), "compressing into a buffer of the bound's size cannot fail");
  packed.resize(size);
  return packed;
}

Result<std::string> decompress(std::string_view packed) {
  const unsigned long long size = ZSTD_getFrameContentSize(packed.data(), packed.size());
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN || size > kLargest) {
    return fail(Errc::Internal, say::stored_file_damaged());
  }
  thread_local const std::unique_ptr<ZSTD_DCtx, FreeContext> context(ZSTD_createDCtx());
  std::string bytes(size, '\0');
  const std::size_t got =
      ZSTD_decompressDCtx(context.get(), bytes.data(), bytes.size(), packed.data(), packed.size());
  if (ZSTD_isError(got) || got != size) return fail(Errc::Internal, say::stored_file_damaged());
  return bytes;
}

}  // namespace ty::store
