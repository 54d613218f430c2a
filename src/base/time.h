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
  /// How far the calendar of the machine is ahead of `now`: zero until somebody sets the machine's
  /// clock, unless this is that clock. For moments that pass to or from whoever reads it directly
  /// (tasks, files): `now + ahead` is theirs.
  virtual Millis wall_ahead() const { return Millis{0}; }
};

class SystemClock final : public Clock {
 public:
  Time now() const override {
    return std::chrono::time_point_cast<Millis>(std::chrono::system_clock::now());
  }
};

/// The calendar at the moment it was made, and from there on what has passed (CLOCK_BOOTTIME, which
/// also counts while the machine sleeps). Setting the machine's clock does not move it, so that no
/// limit, back-off or session ends early or late.
class SteadyClock final : public Clock {
 public:
  SteadyClock() : offset_(wall_offset()) {}
  Time now() const override { return Time{since_boot() + offset_}; }
  Millis wall_ahead() const override { return wall_offset() - offset_; }
  /// What it adds to the time since the machine was started.
  Millis offset() const { return offset_; }

  /// When the machine was started, by its calendar as it is now: differs between two moments of one
  /// boot by as much as the clock was set.
  static Millis wall_offset();

 private:
  static Millis since_boot();
  Millis offset_;
};

class ManualClock final : public Clock {
 public:
  explicit ManualClock(Time start = from_millis(1'700'000'000'000)) : now_(start) {}
  Time now() const override { return now_; }
  void advance(Millis by) { now_ += by; }
  Millis wall_ahead() const override { return ahead_; }
  /// As if somebody had set the machine's clock.
  void step_wall(Millis by) { ahead_ += by; }

 private:
  Time now_;
  Millis ahead_{0};
};

}  // namespace ty
