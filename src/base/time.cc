#include "base/time.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <limits>

#include "base/messages.h"

namespace ty {

namespace {

void put_digits(char* at, int count, unsigned number) {
  for (char* digit = at + count; digit != at; number /= 10)
    *--digit = static_cast<char>('0' + number % 10);
}

}  // namespace

Millis SteadyClock::since_boot() {
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return Seconds{now.tv_sec} +
         std::chrono::duration_cast<Millis>(std::chrono::nanoseconds{now.tv_nsec});
}

Millis SteadyClock::wall_offset() {
  return std::chrono::time_point_cast<Millis>(std::chrono::system_clock::now()).time_since_epoch() -
         since_boot();
}

std::string to_rfc3339(Time t) {
  // Years of four digits are all that others can read.
  constexpr std::int64_t kFirst = -62'167'219'200'000;
  constexpr std::int64_t kLast = 253'402'300'799'999;
  const Time ms = from_millis(std::clamp(to_millis(t), kFirst, kLast));
  // Lists of jobs hold hundreds of times: no printf, no time zone to lock.
  const auto day = std::chrono::floor<std::chrono::days>(ms);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss clock{ms - day};
  std::string text = "0000-00-00T00:00:00.000Z";
  put_digits(&text[0], 4, static_cast<unsigned>(static_cast<int>(date.year())));
  put_digits(&text[5], 2, static_cast<unsigned>(date.month()));
  put_digits(&text[8], 2, static_cast<unsigned>(date.day()));
  put_digits(&text[11], 2, static_cast<unsigned>(clock.hours().count()));
  put_digits(&text[14], 2, static_cast<unsigned>(clock.minutes().count()));
  put_digits(&text[17], 2, static_cast<unsigned>(clock.seconds().count()));
  put_digits(&text[20], 3, static_cast<unsigned>(clock.subseconds().count()));
  return text;
}

Result<Time> parse_rfc3339(std::string_view text) {
  const auto bad = [&] {
    return fail(Errc::Invalid, say::not_a_time({.value = text.substr(0, 60)}));
  };
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
  const auto number = [&](std::size_t at, std::size_t digits, int& out) {
    if (at + digits > text.size()) return false;
    const auto [end, ec] = std::from_chars(text.data() + at, text.data() + at + digits, out);
    return ec == std::errc{} && end == text.data() + at + digits;
  };
  const bool shape = text.size() >= 20 && text[4] == '-' && text[7] == '-' &&
                     (text[10] == 'T' || text[10] == 't' || text[10] == ' ') && text[13] == ':' &&
                     text[16] == ':';
  if (!shape || !number(0, 4, year) || !number(5, 2, month) || !number(8, 2, day) ||
      !number(11, 2, hour) || !number(14, 2, minute) || !number(17, 2, second)) {
    return bad();
  }
  const std::chrono::year_month_day date{std::chrono::year{year},
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok() || hour > 23 || minute > 59 || second > 60) return bad();
  std::size_t at = 19;
  std::int64_t millis = 0;
  if (at < text.size() && text[at] == '.') {
    std::int64_t scale = 100;
    std::size_t digits = 0;
    for (++at; at < text.size() && text[at] >= '0' && text[at] <= '9';
         ++at, ++digits, scale /= 10) {
      millis += (text[at] - '0') * scale;
    }
    if (digits == 0) return bad();
  }
  if (at >= text.size()) return bad();
  std::int64_t offset_minutes = 0;
  if (text[at] == 'Z' || text[at] == 'z') {
    if (at + 1 != text.size()) return bad();
  } else {
    int oh = 0, om = 0;
    if ((text[at] != '+' && text[at] != '-') || text.size() != at + 6 || text[at + 3] != ':' ||
        !number(at + 1, 2, oh) || !number(at + 4, 2, om) || oh > 23 || om > 59) {
      return bad();
    }
    offset_minutes = (oh * 60 + om) * (text[at] == '-' ? -1 : 1);
  }
  const auto days = std::chrono::sys_days{date}.time_since_epoch();
  const Millis since = std::chrono::duration_cast<Millis>(days) + std::chrono::hours{hour} +
                       std::chrono::minutes{minute - offset_minutes} +
                       std::chrono::seconds{second} + Millis{millis};
  return Time{since};
}

Result<Seconds> parse_duration(std::string_view text) {
  const auto bad = [&] {
    return fail(Errc::Invalid, say::not_a_duration({.value = text.substr(0, 60)}));
  };
  if (text.empty()) return bad();
  std::int64_t total = 0;
  std::int64_t smallest = std::numeric_limits<std::int64_t>::max();
  while (!text.empty()) {
    std::int64_t n = 0;
    const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), n);
    if (ec != std::errc{} || n < 0 || text.front() == '-' || end == text.data() + text.size())
      return bad();
    const char unit = *end;
    const std::int64_t size = unit == 's'   ? 1
                              : unit == 'm' ? 60
                              : unit == 'h' ? 3600
                              : unit == 'd' ? 86400
                                            : 0;
    std::int64_t part = 0;
    // Units go from large to small and none twice: `30m1h` is more likely a slip than a wish.
    if (size == 0 || size >= smallest || __builtin_mul_overflow(n, size, &part) ||
        __builtin_add_overflow(total, part, &total)) {
      return bad();
    }
    smallest = size;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()) + 1);
  }
  return Seconds{total};
}

std::string format_duration(Seconds duration) {
  std::int64_t rest = duration.count();
  if (rest == 0) return "0s";
  std::string text;
  constexpr std::pair<std::int64_t, char> kUnits[] = {
      {86400, 'd'}, {3600, 'h'}, {60, 'm'}, {1, 's'}};
  for (const auto& [size, unit] : kUnits) {
    if (rest >= size) {
      text += std::to_string(rest / size) + unit;
      rest %= size;
    }
  }
  return text;
}

std::string human_duration(Millis duration) {
  char text[48];
  const std::int64_t ms = duration.count();
  const std::int64_t s = ms / 1000;
  if (ms < 1000)
    std::snprintf(text, sizeof text, "%lld ms", static_cast<long long>(ms));
  else if (s < 60)
    std::snprintf(text, sizeof text, "%.1f s", static_cast<double>(ms) / 1000);
  else if (s < 3600)
    std::snprintf(text,
                  sizeof text,
                  "%lld min %02lld s",
                  static_cast<long long>(s / 60),
                  static_cast<long long>(s % 60));
  else if (s < 86400)
    std::snprintf(text,
                  sizeof text,
                  "%lld h %02lld min",
                  static_cast<long long>(s / 3600),
                  static_cast<long long>(s % 3600 / 60));
  else
    std::snprintf(text,
                  sizeof text,
                  "%lld d %lld h",
                  static_cast<long long>(s / 86400),
                  static_cast<long long>(s % 86400 / 3600));
  return text;
}

}  // namespace ty
