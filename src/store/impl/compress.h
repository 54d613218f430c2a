#pragma once
#include <string>
#include <string_view>

#include "base/result.h"

namespace ty::store {

/// zstd, the first of its fast levels: half the time of level 1, and a small job file takes a sixth
/// more. Any thread.
std::string compress(std::string_view bytes);
Result<std::string> decompress(std::string_view packed);

}  // namespace ty::store
