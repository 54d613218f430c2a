#pragma once
#include <functional>
#include <string>

#include "base/result.h"

namespace ty::telemetry {

/// Compares the index of a log that has ended with its bytes and, where it is wrong, makes it
/// again: records that agree with the bytes stay, with their times; what is missing gets the time
/// of the last record before it, or, where there is none, of when the file was made or last
/// written. True when something had to be changed. A crash leaves the old index or the new one.
Result<bool> repair_index(const std::string& log_path, const std::function<bool()>& stop);

}  // namespace ty::telemetry
