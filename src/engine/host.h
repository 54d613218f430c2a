#pragma once
#include <functional>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "engine/engine.h"

namespace ty::engine {

/// What the server offers to the engine it opens. Functions may be called from any thread, as long
/// as the engine is there.
struct Host {
  std::string data_dir;  ///< absolute; what an engine keeps on this machine is below it
  /// Runs evenly. Deadlines and the times of reports are the machine's: `clock.wall_ahead()` more.
  const Clock& clock;
  ReportSink report;
  std::function<void()> nodes_changed;  ///< `Engine::nodes()` says something else now
  /// A log that lies in no file has grown: its name (`telemetry::LogRef`).
  std::function<void(const std::string& name)> log_grown;
  /// The folder of this machine where an upload lies unpacked, by its SHA-256; NotFound when it is
  /// gone.
  std::function<Result<std::string>(const std::string& sha256)> upload_folder;
};

}  // namespace ty::engine
