#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "sched/request.h"

/// The event that says an administrator moved a job in the queue. It is the audit, and after a
/// restart the place is found in it again.
namespace ty::control {

inline constexpr std::string_view kMoved = "job.moved";

std::string moved_to_json(const sched::Place& place, const std::optional<JobId>& before);
/// Nothing when the text is not such an event's.
std::optional<sched::Place> moved_from_json(std::string_view data);

}  // namespace ty::control
