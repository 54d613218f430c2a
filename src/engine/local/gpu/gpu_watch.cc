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

std::optional<int> small_number(std::string_view text) {
  int n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  const bool is_good =
      error == std::errc{} && end == text.data() + text.size() && n >= 1 && n <= 1024;
  return is_good ? std::optional(n) : std::nullopt;
}

}  // namespace

Result<std::vector<Gpu>> configured_gpus(const std::vector<std::string>& entries) {
  std::vector<Gpu> gpus;
  int group = 0;
  for (const std::string& entry : entries) {
    const auto parts = split(entry, ':');
    const auto numbers = split(parts.size() == 2 ? parts[1] : "1", '/');
    const auto count = small_number(numbers[0]);
    const auto linked = numbers.size() == 2 ? small_number(numbers[1]) : count;
    if (parts.size() > 2 || parts[0].empty() || numbers.size() > 2 || !count || !linked) {
      return fail(Errc::Invalid,
                  fmt::format("node.gpus: \"{}\" is no inventory; write for example A100:8, or "
                              "A100:8/4 for NVLink groups of four",
                              shorten(entry)));
    }
    for (int i = 0; i < *count; ++i) {
      if (i > 0 && i % *linked == 0) ++group;
      Gpu gpu;
      gpu.type = gpu.model = parts[0];
      gpu.link_group = group;
      gpus.push_back(std::move(gpu));
    }
    ++group;
  }
  return gpus;
}

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
