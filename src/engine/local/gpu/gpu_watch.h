#pragma once
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/result.h"
#include "engine/gpu.h"
#include "engine/local/gpu/nvml.h"

namespace ty::engine {

/// The GPUs of this machine and how they are doing, looked at every few seconds. Safe to call from
/// any thread.
class GpuWatch {
 public:
  /// `source` null: they are only configured, and stay as they are. `on_health` is called from our
  /// thread after a GPU was found broken.
  GpuWatch(std::vector<Gpu> gpus,
           std::unique_ptr<GpuSource> source,
           std::function<void()> on_health);
  ~GpuWatch();
  GpuWatch(const GpuWatch&) = delete;
  GpuWatch& operator=(const GpuWatch&) = delete;

  std::vector<Gpu> now() const;

 private:
  void run();

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Gpu> gpus_;
  std::unique_ptr<GpuSource> source_;
  std::function<void()> on_health_;
  bool is_closing_ = false;
  std::thread thread_;
};

}  // namespace ty::engine
