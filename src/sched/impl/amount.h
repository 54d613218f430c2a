#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>

namespace ty::sched {

/// So much CPU, memory and so many GPUs.
struct Amount {
  std::int64_t cpu_milli = 0;
  std::int64_t memory = 0;
  std::int64_t gpus = 0;

  static constexpr Amount boundless() {
    constexpr auto most = std::numeric_limits<std::int64_t>::max() / 4;
    return {most, most, most};
  }
  bool fits_in(const Amount& room) const {
    return cpu_milli <= room.cpu_milli && memory <= room.memory && gpus <= room.gpus;
  }
  /// How often it fits into `room`, at most `most` times.
  std::int64_t times_in(const Amount& room, std::int64_t most) const {
    auto n = most;
    if (cpu_milli > 0) n = std::min(n, std::max<std::int64_t>(room.cpu_milli, 0) / cpu_milli);
    if (memory > 0) n = std::min(n, std::max<std::int64_t>(room.memory, 0) / memory);
    if (gpus > 0) n = std::min(n, std::max<std::int64_t>(room.gpus, 0) / gpus);
    return n;
  }
  Amount& operator+=(const Amount& o) {
    cpu_milli += o.cpu_milli, memory += o.memory, gpus += o.gpus;
    return *this;
  }
  Amount& operator-=(const Amount& o) {
    cpu_milli -= o.cpu_milli, memory -= o.memory, gpus -= o.gpus;
    return *this;
  }
  friend Amount operator+(Amount a, const Amount& b) { return a += b; }
  friend Amount operator-(Amount a, const Amount& b) { return a -= b; }
  friend Amount operator*(const Amount& a, std::int64_t n) {
    return {a.cpu_milli * n, a.memory * n, a.gpus * n};
  }
  friend Amount least(const Amount& a, const Amount& b) {
    return {
        std::min(a.cpu_milli, b.cpu_milli), std::min(a.memory, b.memory), std::min(a.gpus, b.gpus)};
  }
  bool operator==(const Amount&) const = default;
};

}  // namespace ty::sched
