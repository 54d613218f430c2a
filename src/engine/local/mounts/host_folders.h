#pragma once
#include <string>
#include <vector>

#include "base/result.h"

namespace ty::engine {

/// Folders of the machine itself that the administrator lets jobs mount (`jobs.host_folders`, and
/// the site's storage).
class HostFolders {
 public:
  explicit HostFolders(std::vector<std::string> granted) : granted_(std::move(granted)) {}

  /// Looks at the text only: a folder may still come.
  Result<void> check(const std::string& path) const;
  /// Where it really is; a link inside a granted folder must not lead out of it. `make`: a missing
  /// one is made. Blocks on the disk.
  Result<std::string> folder(const std::string& path, bool make) const;

 private:
  std::vector<std::string> granted_;
};

}  // namespace ty::engine
