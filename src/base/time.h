#pragma once
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace ty {

using namespace std::chrono_literals;

using Millis = std::chrono::milliseconds;
using Seconds = std::chrono::seconds;
/// A moment of the calendar: UTC milliseconds since 1970. Stored and compared as such.
using Time = std::chrono::time_point<std::chrono::system_clock, Millis>;

inline std::int64_t to_millis(Time t) { return t.time_since_epoch().count(); }
inline Time from_millis(std::int64_t ms) { return Time{Millis{ms}}; }

/// RFC 3339 in UTC with milliseconds: `2026-11-15T06:39:00.123Z`.
std::string to_rfc3339(Time t);
Result<Time> parse_rfc3339(std::string_view text);

/// `90s`, `30m`, `12h`, `7d`, `1h30m`; a bare number is refused: its unit would be a guess.
Result<Seconds> parse_duration(std::string_view text);
/// The shortest exact spelling that parse_duration reads back: `1h30m`.
std::string format_duration(Seconds duration);
/// For people: `3.2 s`, `12 min`, `4 h 05 min`, `3 d 4 h`.
std::string human_duration(Millis duration);

/// What time it is. Everything that waits or stamps takes one, so tests can be the clock.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual Time now() const = 0;
};

class SystemClock final : public Clock {
 public:
  Time now() const override {
    return std::chrono::time_point_cast<Millis>(std::chrono::system_clock::now());
  }
};

class ManualClock final : public Clock {
 public:
  explicit ManualClock(Time start = from_millis(1'700'000'000'000)) : now_(start) {}
  Time now() const override { return now_; }
  void advance(Millis by) { now_ += by; }

 private:
  Time now_;
};

}  // namespace ty
