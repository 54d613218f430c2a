#pragma once
#include <map>
#include <string>

#include "model/job_spec.h"

namespace ty::control {

/// The site's resource specs from their texts, `cpus: 4; memory: 16GB; gpus: A100:1`. One that
/// cannot be read is left out, with a line in the server's log.
std::map<std::string, model::Resources> read_resource_specs(
    const std::map<std::string, std::string>& texts);

}  // namespace ty::control
