#pragma once
#include <string>
#include <vector>

#include "engine/local/local_launch.h"

namespace ty::engine::docker {

/// The launch with the tasks' addresses where the marks were (`kAddressMark`), and its own; with
/// their names where there are no addresses.
LocalLaunch with_addresses(LocalLaunch launch, const std::vector<std::string>& addresses);

}  // namespace ty::engine::docker
