#pragma once
#include <functional>
#include <string>

#include "base/result.h"
#include "telemetry/log_reader.h"

namespace ty::telemetry {

/// Which log, wherever it is kept: the name under which LogWatcher is told of its growth, and how
/// it is opened. Opening fails with NotFound while there is no such log (yet).
struct LogRef {
  std::string name;
  std::function<Result<LogReader>()> open;
};

/// A log in a file of this machine; its name is its path.
LogRef log_file(std::string path);

}  // namespace ty::telemetry
