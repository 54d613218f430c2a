#include "telemetry/log_ref.h"

namespace ty::telemetry {

LogRef log_file(std::string path) {
  LogRef ref{.name = path, .open = nullptr};
  ref.open = [path = std::move(path)] { return LogReader::open(path); };
  return ref;
}

}  // namespace ty::telemetry
