#pragma once
#include <memory>

#include "base/result.h"
#include "config/config.h"
#include "engine/engine.h"
#include "engine/host.h"

namespace ty::engine {

/// This machine, with the runtime that the settings ask for.
Result<std::unique_ptr<Engine>> open_local(const config::Config& config, Host host);

}  // namespace ty::engine
