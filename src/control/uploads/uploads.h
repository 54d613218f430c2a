#pragma once
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace ty::control {

/// Code that people handed in with a job, kept by its SHA-256: `DIR/uploads/SHA` is the archive,
/// `SHA.d` what was in it. The same code sent a thousand times is kept once, and goes
/// a day after it was last sent when no job uses it any more. Functions block; call
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

  /// What nobody has sent for this long, by SHA-256; and leftovers of the same age, of archives
  /// that never arrived whole, are removed.
  std::vector<std::string> idle_since(Time before) const;
  /// Removes it, unless somebody has sent it again since `before`.
  void remove(const std::string& sha256, Time before) const;

  /// Where it lies unpacked. NotFound when it is gone.
  Result<std::string> folder(std::string_view sha256) const;

 private:
  std::string root_;
  mutable std::mutex mutex_;  // between finding code that is there and removing it
};

}  // namespace ty::control
