#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "jobspec/impl/quantity.h"

namespace ty::jobspec {

struct MetricGroups {
  std::string value;  ///< name or number of the capture group
  std::string step;   ///< name of the group; empty: none
};

/// A pattern RE2 can run on every log line: at most 1 KiB and 10 000 instructions, with one group
/// for the value or one called `value`. Any thread; remembers what it accepted, for compiling costs
/// more than reading the rest of a job file.
Parsed<MetricGroups> check_metric_regex(const std::string& pattern);

}  // namespace ty::jobspec
