#pragma once
#include <time.h>

#include <cstdint>

namespace ty::supervisor {

/// UTC milliseconds, as deadlines and log times are kept.
inline std::int64_t now_ms() {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1000 + now.tv_nsec / 1'000'000;
}

}  // namespace ty::supervisor
