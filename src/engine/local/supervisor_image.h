#pragma once
#include <string>
#include <string_view>

#include "base/result.h"

namespace ty::engine {

/// The supervisor program, carried inside this one.
std::string_view supervisor_image();

/// Puts it at `<dir>/supervisor-<hash>`, executable, and removes those of other versions (running
/// ones keep running). Returns its path.
Result<std::string> unpack_supervisor(const std::string& dir);

}  // namespace ty::engine
