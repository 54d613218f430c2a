#pragma once
#include <string>
#include <string_view>

#include "base/result.h"

namespace ty::control {

/// Code that people handed in with a job, kept by its SHA-256: `DIR/uploads/SHA` is the archive,
/// `SHA.d` what was in it. The same code sent a thousand times is kept once. Functions block; call
/// them on a blocking pool.
class Uploads {
 public:
  explicit Uploads(std::string root) : root_(std::move(root)) {}

  /// A file in which an arriving archive can be collected; `keep` or `discard` ends its life.
  Result<std::string> new_file() const;
  /// Checks, unpacks and files it; answers `upload:<sha256>`. A refused archive leaves nothing
  /// behind.
  Result<std::string> keep(const std::string& file) const;
  void discard(const std::string& file) const;

  /// The unpacked folder of `upload:<sha256>`.
  Result<std::string> folder(std::string_view source) const;

 private:
  std::string root_;
};

}  // namespace ty::control
