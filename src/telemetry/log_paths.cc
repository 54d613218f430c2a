#include "telemetry/log_paths.h"

#include <fmt/format.h>

#include <charconv>

namespace ty::telemetry {

namespace {
constexpr std::string_view kSuffix = ".log";

/// Digits up to the next dot, without a leading zero: one name per key, one key per name.
std::optional<int> take_number(std::string_view& rest) {
  const std::size_t dot = rest.find('.');
  const std::string_view digits = rest.substr(0, dot);
  if (digits.empty() || (digits.size() > 1 && digits[0] == '0')) return {};
  int value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || end != digits.data() + digits.size() || value < 0) return {};
  rest.remove_prefix(dot == std::string_view::npos ? rest.size() : dot + 1);
  return value;
}
}  // namespace

std::string logs_root(std::string_view data_dir) { return std::string(data_dir) + "/logs"; }

std::string job_logs_dir(std::string_view data_dir, const JobId& job) {
  return fmt::format("{}/logs/{}/{}", data_dir, job.str().substr(0, 2), job.str());
}

std::string log_path(std::string_view data_dir, const model::TaskKey& key) {
  return fmt::format("{}/{}.{}.{}.{}{}",
                     job_logs_dir(data_dir, key.job),
                     key.attempt,
                     key.task.role,
                     key.task.index,
                     key.tries,
                     kSuffix);
}

std::optional<model::TaskKey> parse_log_name(std::string_view job_dir, std::string_view file_name) {
  if (!looks_like_job_id(job_dir) || !file_name.ends_with(kSuffix)) return {};
  file_name.remove_suffix(kSuffix.size());
  if (file_name.ends_with('.')) return {};
  const auto attempt = take_number(file_name);
  const auto role = take_number(file_name);
  const auto index = take_number(file_name);
  const auto tries = take_number(file_name);
  if (!attempt || !role || !index || !tries || !file_name.empty()) return {};
  return model::TaskKey{JobId(std::string(job_dir)), *attempt, {*role, *index}, *tries};
}

}  // namespace ty::telemetry
