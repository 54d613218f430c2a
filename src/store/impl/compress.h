#pragma once
#include <string>
#include <string_view>

#include "base/result.h"

namespace ty::store {

/// zstd, fast level; a job file shrinks to a third and four fit into a page. Any thread.
std::string compress(std::string_view bytes);
Result<std::string> decompress(std::string_view packed);

}  // namespace ty::store
