#pragma once
#include <string>

#include "base/result.h"
#include "model/job_spec.h"

namespace ty::control {

/// The site's shared file system as jobs name it: each folder directly below its root is a storage
/// that the administrator made (`storage:team`), and OpenPAI's `$PAI_DEFAULT_FS_URI` is the root
/// itself. Nothing outside the root is reached, through links neither. Blocks on the disk.
class Storages {
 public:
  explicit Storages(std::string root) : root_(std::move(root)) {}
  const std::string& root() const { return root_; }

  /// Whether this server can ever mount it; told at submit. A storage must exist, what lies inside
  /// it may still come.
  Result<void> check(const model::Mount& mount) const;

  /// The folder of this machine. Outputs are made when they are missing.
  Result<std::string> folder(const model::Mount& mount) const;
  /// A file of at most 64 KiB, such as OpenPAI's `authFile`.
  Result<std::string> read(const std::string& source) const;

 private:
  Result<std::string> inside(const std::string& source) const;

  std::string root_;
};

/// `$PAI_JOB_NAME`, `$PAI_USER_NAME` and `$PAI_USERNAME` in the folders of an OpenPAI job.
void fill_names(model::JobSpec& spec, const std::string& user, const std::string& job);

}  // namespace ty::control
