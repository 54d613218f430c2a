#include "engine/local/gpu/gpu_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/text.h"
#include "base/time.h"

namespace ty::engine {
namespace {

constexpr auto kSampleEvery = std::chrono::seconds(2);

}  // namespace

GpuWatch::GpuWatch(std::vector<Gpu> gpus,
                   std::unique_ptr<GpuSource> source,
                   std::function<void()> on_health)
    : gpus_(std::move(gpus)), source_(std::move(source)), on_health_(std::move(on_health)) {
  if (source_) thread_ = std::thread([this] { run(); });
}

GpuWatch::~GpuWatch() {
  {
    const std::lock_guard lock(mutex_);
    is_closing_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

std::vector<Gpu> GpuWatch::now() const {
  const std::lock_guard lock(mutex_);
  return gpus_;
}

void GpuWatch::run() {
  const auto broken = [](const std::vector<Gpu>& gpus) {
    return std::ranges::count(gpus, false, &Gpu::healthy);
  };
  std::unique_lock lock(mutex_);
  while (!is_closing_) {
    std::vector<Gpu> gpus = gpus_;
    lock.unlock();
    const auto before = broken(gpus);
    source_->sample(gpus);  // may take its time on a sick driver: nobody waits for it
    lock.lock();
    gpus_ = std::move(gpus);
    if (broken(gpus_) != before && on_health_) {
      lock.unlock();
      on_health_();
      lock.lock();
    }
    changed_.wait_for(lock, kSampleEvery, [this] { return is_closing_; });
  }
}

}  // namespace ty::engine
