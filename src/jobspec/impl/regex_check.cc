#include "jobspec/impl/regex_check.h"

#include <re2/re2.h>

#include <unordered_map>

#include "base/text.h"

namespace ty::jobspec {
namespace {

constexpr std::size_t kMaxBytes = 1024;
constexpr int kMaxInstructions = 10'000;
constexpr std::size_t kRemembered = 256;

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

std::string complaint(const RE2& re) {
  const std::string_view pattern = re.pattern();
  if (has(pattern, "(?<=") || has(pattern, "(?<!")) {
    return "look-behind is not supported; write x(y) for (?<=x)y";
  }
  if (has(pattern, "(?=") || has(pattern, "(?!")) {
    return "look-ahead is not supported; write (x)y for x(?=y)";
  }
  if (re.error_code() == RE2::ErrorBadEscape) {
    return "\"" + shorten(re.error_arg()) +
           "\" is no escape here; write \\\\ for a backslash, and a group again "
           "instead of \\1";
  }
  if (re.error_code() == RE2::ErrorRepeatSize) {
    return shorten(re.error_arg()) + " repeats too often; write a smaller number";
  }
  return re.error() + "; put \\ before a bracket that stands for itself";
}

Parsed<MetricGroups> compile(const std::string& pattern) {
  const auto refuse = [](std::string message) {
    return std::unexpected(Refusal{"regex", std::move(message)});
  };
  if (pattern.empty()) return refuse("the pattern is empty; write for example loss=([0-9.]+)");
  if (pattern.size() > kMaxBytes) {
    return refuse("a pattern of " + std::to_string(pattern.size()) +
                  " bytes is too long; write at most " + std::to_string(kMaxBytes));
  }
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(4 << 20);
  const RE2 re(pattern, options);
  if (!re.ok()) return refuse(complaint(re));
  if (re.ProgramSize() > kMaxInstructions) {
    return refuse(
        "the pattern is too costly to run on every line; use fewer or smaller repetitions");
  }
  const auto& names = re.NamedCapturingGroups();
  MetricGroups groups;
  if (names.contains("step")) groups.step = "step";
  if (names.contains("value")) {
    groups.value = "value";
    return groups;
  }
  const int unnamed = re.NumberOfCapturingGroups() - static_cast<int>(names.size());
  if (unnamed == 0) return refuse("has no group for the value; write for example loss=([0-9.]+)");
  if (unnamed > 1) return refuse("has several groups; call the one to keep (?P<value>…)");
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
