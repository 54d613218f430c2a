#include "control/clock_steps.h"

#include <fmt/format.h>

#include <charconv>
#include <fstream>
#include <optional>

#include "rt/log.h"
#include "store/job_store.h"
#include "store/workspace_store.h"

namespace ty::control {

namespace asio = boost::asio;

namespace {

constexpr char kMark[] = "clock";
/// Less is what measuring gives, not a person or a time server.
constexpr Millis kStep{1000};

/// The offset under which the stored times were written, if that was during this boot.
std::optional<Millis> offset_in(const std::optional<std::string>& mark, const std::string& boot) {
  if (!mark || boot.empty() || !mark->starts_with(boot + " ")) return std::nullopt;
  std::int64_t millis = 0;
  const std::string_view number = std::string_view(*mark).substr(boot.size() + 1);
  const auto [end, ec] = std::from_chars(number.begin(), number.end(), millis);
  if (ec != std::errc{}) return std::nullopt;
  return Millis{millis};
}

}  // namespace

std::string boot_id() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string line;
  std::getline(file, line);
  return line;
}

asio::awaitable<Result<void>> follow_clock(store::JobStore& jobs,
                                           store::SettingStore& settings,
                                           std::string boot,
                                           Millis offset) {
  TY_CO_TRY(const std::optional<std::string> mark, co_await settings.get(kMark));
  std::string now = fmt::format("{} {}", boot, offset.count());
  const std::optional<Millis> before = offset_in(mark, boot);
  if (!before) co_return co_await settings.set(kMark, std::move(now));
  const Millis step = offset - *before;
  if (std::chrono::abs(step) < kStep) co_return Result<void>{};
  log::warn("clock.was_set by={}ms", step.count());
  co_return co_await jobs.move_times(step, {kMark, std::move(now)});
}

}  // namespace ty::control
