#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/gpu.h"

namespace ty::engine {

/// Where GPUs of a machine come from. Another vendor's is another class.
class GpuSource {
 public:
  virtual ~GpuSource() = default;
  /// Every device, in the order of its index; taken once.
  virtual std::vector<Gpu> inventory() = 0;
  /// Load and memory as they are now; a device that fails becomes unhealthy with the reason, and
  /// stays so: one that was lost once is not trusted again until the server restarts.
  virtual void sample(std::vector<Gpu>& gpus) = 0;
};

/// NVIDIA's management library, looked for when the server starts. Null: no driver, or no device.
std::unique_ptr<GpuSource> open_nvml();

/// What a job would write: `NVIDIA A100-SXM4-80GB` is `A100`, `NVIDIA GeForce RTX 4090` is
/// `RTX4090`.
std::string gpu_type_of(std::string_view model);

}  // namespace ty::engine
