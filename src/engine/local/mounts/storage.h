#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/launch.h"

namespace ty::engine {

/// The site's shared file system as this machine has it: each folder directly below its root is a
/// storage that the administrator made (`storage:team`), and OpenPAI's `$PAI_DEFAULT_FS_URI` is the
/// root itself. Nothing outside the root is reached, through links neither. Blocks on the disk.
class Storage {
 public:
  explicit Storage(std::string root) : root_(std::move(root)) {}
  const std::string& root() const { return root_; }

  /// Whether it can ever be mounted. A storage must exist, what lies inside it may still come.
  Result<void> check(const Mount& mount, const source::Storage& source) const;
  /// The folder of this machine. Outputs are made when they are missing.
  Result<std::string> folder(const Mount& mount, const source::Storage& source) const;
  /// Up to 64 KiB of it.
  Result<std::string> read(const LoginFile& file) const;

 private:
  /// `path` of this machine, if it lies below the root. `named` is for messages.
  Result<std::string> inside(const std::string& path, const std::string& named) const;

  std::string root_;
};

}  // namespace ty::engine
