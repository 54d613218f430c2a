#pragma once
#include <cstdint>
#include <string>

#include "base/result.h"

namespace ty::cli {

struct Packed {
  std::string file;  ///< a temporary tar.zst; the caller removes it
  std::int64_t files = 0;
  std::int64_t bytes = 0;  ///< before compression
};

/// Packs a folder, leaving out what its `.trainyardignore` names (one pattern a line: `data/`,
/// `*.ckpt`, `# comment`) and always `.git`. The same content gives the same archive, so the server
/// keeps it once.
Result<Packed> pack_folder(const std::string& folder);

}  // namespace ty::cli
