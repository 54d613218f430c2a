#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "config/config.h"
#include "engine/engine.h"
#include "engine/host.h"

/// The engines of this program. A new one is a folder with an `open` of its own, and a line in
/// `registry.cc`; nobody else knows which there are.
namespace ty::engine {

std::vector<std::string> engine_names();
/// Invalid, naming those there are, when none is called so.
Result<void> check_engine(std::string_view name);
/// The one that `config.engine` names. May block while it looks at what it has.
Result<std::unique_ptr<Engine>> open_engine(const config::Config& config, Host host);

}  // namespace ty::engine
