#pragma once
#include <memory>

#include "base/result.h"
#include "config/config.h"
#include "engine/engine.h"
#include "engine/host.h"

namespace ty::engine {

/// One made-up node of the size that the settings say.
Result<std::unique_ptr<Engine>> open_fake(const config::Config& config, Host host);

}  // namespace ty::engine
