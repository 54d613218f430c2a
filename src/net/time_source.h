#pragma once
#include <atomic>
#include <chrono>

#include "base/time.h"

namespace ty::net {

using SteadyTime = std::chrono::steady_clock::time_point;

/// What the deadlines of connections are measured with, so that tests can be the clock. Called from
/// all threads.
class TimeSource {
 public:
  virtual ~TimeSource() = default;
  virtual SteadyTime now() const = 0;
};

/// The kernel's coarse clock: a few milliseconds off, and far cheaper than the fine one.
const TimeSource& kernel_time();

/// Stands still until it is moved.
class ManualTime final : public TimeSource {
 public:
  SteadyTime now() const override { return SteadyTime(Millis(now_.load())); }
  void advance(Millis by) { now_ += by.count(); }

 private:
  std::atomic<Millis::rep> now_ = 1'000'000;
};

}  // namespace ty::net
