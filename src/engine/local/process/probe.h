#pragma once
#include "base/result.h"
#include "engine/engine.h"
#include "engine/local/process/recycler.h"
#include "engine/local/process/setup.h"

namespace ty::engine {

struct Probed {
  ProcessSetup setup;
  Capabilities capabilities;
};

/// Unpacks the supervisor and runs `true` under it, once for each kind of isolation until one
/// works: what is then said about this machine was seen, not guessed. Fails when the data directory
/// cannot hold programs, or when the isolation that was asked for by name does not work.
Result<Probed> probe_machine(const LocalOptions& options, Recycler& recycler);

}  // namespace ty::engine
