#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/result.h"

namespace ty::telemetry {

/// Bytes by offset, wherever they lie: a plain file that may still grow, or a compressed one.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  virtual std::uint64_t size() const = 0;
  virtual bool compressed() const = 0;
  /// The descriptor of a plain file, the source's own; -1: the bytes lie nowhere as they are.
  virtual int plain_file() const { return -1; }
  /// Takes note of growth.
  virtual Result<void> refresh() = 0;
  /// Fewer bytes than asked for only at the end.
  virtual Result<std::size_t> read_at(std::uint64_t offset, std::span<char> buffer) = 0;
};

/// `path` itself, or else `path.zst`. In this order nothing is missed: the compressed file is
/// complete before the plain one goes. Errc::NotFound when there is neither.
Result<std::unique_ptr<ByteSource>> open_bytes(const std::string& path);
Result<std::unique_ptr<ByteSource>> open_plain(const std::string& path);

}  // namespace ty::telemetry
