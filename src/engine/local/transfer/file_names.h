#pragma once
#include <string>

#include "base/result.h"

namespace ty::engine {

/// Makes the folder `to` with all plain files of `from`, in the same folders: further names for
/// them where the file system can, copies elsewhere. Links and devices are left out, and nothing is
/// followed, whatever a task does to `from` at the same time.
Result<void> name_files_again(const std::string& from, const std::string& to);

}  // namespace ty::engine
