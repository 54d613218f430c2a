#pragma once
#include <cstdint>
#include <string>

#include "base/result.h"

/// Walks of folders that others may change meanwhile: from descriptor to descriptor, no link is
/// followed, so that a walk never leaves the folder it began with.
namespace ty::engine {

struct TreeSize {
  std::int64_t bytes = 0;    ///< as `ls` counts
  std::int64_t on_disk = 0;  ///< as `du` counts
};
/// Of the plain files below an open folder, each name counted once; `enough` of either: it is not
/// counted any further. Errors count for nothing.
TreeSize size_of_tree(int folder, std::int64_t enough);

/// `from`: a file or a folder without links on the way; `to` must not exist. Links are copied as
/// links, holes stay holes, sockets and devices are left out. Names what could not be copied.
Result<void> copy_tree(const std::string& from, const std::string& to);

}  // namespace ty::engine
