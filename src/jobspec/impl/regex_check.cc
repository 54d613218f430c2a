#include "jobspec/impl/regex_check.h"

#include <re2/re2.h>

#include <unordered_map>

#include "base/text.h"
#include "jobspec/messages.h"

namespace ty::jobspec {
namespace {

constexpr std::size_t kMaxBytes = 1024;
constexpr int kMaxInstructions = 10'000;
constexpr std::size_t kRemembered = 256;

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

Message complaint(const RE2& re) {
  const std::string_view pattern = re.pattern();
  if (has(pattern, "(?<=") || has(pattern, "(?<!")) {
    return say::regex_look_behind();
  }
  if (has(pattern, "(?=") || has(pattern, "(?!")) {
    return say::regex_look_ahead();
  }
  if (re.error_code() == RE2::ErrorBadEscape) {
    return say::regex_bad_escape({.escape = shorten(re.error_arg())});
  }
  if (re.error_code() == RE2::ErrorRepeatSize) {
    return say::regex_repeats({.part = shorten(re.error_arg())});
  }
  return say::regex_wrong({.why = plain(re.error())});
}

Parsed<MetricGroups> compile(const std::string& pattern) {
  const auto refuse = [](Message message) {
    return std::unexpected(Refusal{"regex", std::move(message)});
  };
  if (pattern.empty()) return refuse(say::regex_empty());
  if (pattern.size() > kMaxBytes) {
    return refuse(say::regex_too_long({.size = pattern.size(), .most = kMaxBytes}));
  }
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(4 << 20);
  const RE2 re(pattern, options);
  if (!re.ok()) return refuse(complaint(re));
  if (re.ProgramSize() > kMaxInstructions) {
    return refuse(say::regex_too_costly());
  }
  const auto& names = re.NamedCapturingGroups();
  MetricGroups groups;
  if (names.contains("step")) groups.step = "step";
  if (names.contains("value")) {
    groups.value = "value";
    return groups;
  }
  const int unnamed = re.NumberOfCapturingGroups() - static_cast<int>(names.size());
  if (unnamed == 0) return refuse(say::regex_without_group());
  if (unnamed > 1) return refuse(say::regex_many_groups());
  for (int i = 1; i <= re.NumberOfCapturingGroups(); ++i) {
    if (!re.CapturingGroupNames().contains(i)) groups.value = std::to_string(i);
  }
  return groups;
}

}  // namespace

Parsed<MetricGroups> check_metric_regex(const std::string& pattern) {
  thread_local std::unordered_map<std::string, MetricGroups> accepted;
  if (const auto known = accepted.find(pattern); known != accepted.end()) return known->second;
  auto groups = compile(pattern);
  if (groups) {
    if (accepted.size() >= kRemembered) accepted.clear();
    accepted.emplace(pattern, *groups);
  }
  return groups;
}

}  // namespace ty::jobspec
