#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace ty::telemetry {

/// Plain texts of which at least one is inside every match of the regular expression: `CUDA error:
/// .*|Killed` gives
/// {"CUDA error: ", "Killed"}. Looking for them first is several times quicker than running the
/// expression. Empty when nothing useful is known, also for every construct this does not
/// understand.
std::vector<std::string> required_texts(std::string_view pattern);

}  // namespace ty::telemetry
