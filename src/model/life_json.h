#pragma once
#include <string>
#include <string_view>

#include "base/result.h"
#include "model/job.h"

/// The small parts of a job's life as JSON texts, as the store keeps them in a column and the API
/// shows them. Lossless; only what differs from a default-constructed value is written, so most are
/// `{}` or very short.
namespace ty::model {

std::string to_json(const Placement& placement);
std::string to_json(const Ending& ending);
std::string to_json(const Decision& decision);
std::string to_json(const RetryCount& retries);

Result<Placement> placement_from_json(std::string_view text);
Result<Ending> ending_from_json(std::string_view text);
Result<Decision> decision_from_json(std::string_view text);
Result<RetryCount> retry_count_from_json(std::string_view text);

}  // namespace ty::model
