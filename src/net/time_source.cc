#include "net/time_source.h"

#include <ctime>

namespace ty::net {

namespace {

class KernelTime final : public TimeSource {
 public:
  SteadyTime now() const override {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return SteadyTime(std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec));
  }
};

}  // namespace

const TimeSource& kernel_time() {
  static const KernelTime time;
  return time;
}

}  // namespace ty::net
