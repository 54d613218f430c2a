#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/task_usage.h"

/// What a task used over its life: a file of comma-separated values beside its log, one line for
/// each look, that other programs read as well. A line without its end is not there.
namespace ty::telemetry {

/// `<log>.usage`
inline std::string usage_path(std::string_view log) { return std::string(log) + ".usage"; }

/// How far lines are apart when the task has run for so long: often at first, seldom later, so that
/// a month fits into some megabytes.
Millis usage_interval(Millis age);

/// Adds a line, and the heading to a new file. The folder must be there: a task without a log has
/// no usage either.
Result<void> append_usage(const std::string& log, const model::TaskUsage& usage);

/// From `since` on; nothing for a file that is not there. Lines that make no sense are left out.
Result<std::vector<model::TaskUsage>> read_usage(const std::string& log, std::optional<Time> since);

/// The last one there is.
Result<std::optional<model::TaskUsage>> last_usage(const std::string& log);

/// A point of a curve: one look at the task, and what it used on average since the point before.
struct UsagePoint {
  model::TaskUsage usage;
  std::optional<double> cpus;
};

/// At most `most` points that tell the same story: of each stretch its end, with the highest memory
/// and GPU figures in it.
std::vector<UsagePoint> usage_curve(const std::vector<model::TaskUsage>& all, std::size_t most);

std::string usage_line(const model::TaskUsage& usage);
std::optional<model::TaskUsage> parse_usage_line(std::string_view line);

}  // namespace ty::telemetry
