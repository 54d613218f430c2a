#pragma once
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/gpu.h"
#include "model/job.h"

namespace ty::engine::docker {

/// How a daemon gives GPUs to containers, as it says itself in `GET /info`.
struct GpuAccess {
  enum class Way : std::uint8_t {
    Unannounced,  ///< neither; the older helper of the toolkit may still be there
    Nvidia,       ///< the runtime of nvidia-container-toolkit
    Cdi,          ///< devices by name, as `nvidia.com/gpu=0`
  };
  Way way = Way::Unannounced;
  std::set<std::string> cdi_names;  ///< those it lists; older ones know more than they list
};

/// `info` is the daemon's answer. Daemons that do not list their CDI devices name the folders they
/// read them from, which are looked into.
GpuAccess gpu_access(std::string_view info);

/// The member `DeviceRequests` of a container that gets exactly these of the machine's GPUs, as
/// JSON; empty: none, or only such as are made up.
std::string device_requests(const GpuAccess& access,
                            const std::vector<Gpu>& gpus,
                            const model::Placement& placement);

}  // namespace ty::engine::docker
