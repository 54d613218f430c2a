#pragma once
#include <string>
#include <string_view>

#include "base/result.h"

namespace ty::control {

/// 64 lower-case hex digits.
std::string sha256(std::string_view text);
/// Of a file's content, read piece by piece. Blocks.
Result<std::string> sha256_of_file(const std::string& path);

}  // namespace ty::control
