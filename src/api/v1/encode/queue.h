#pragma once
#include <cstdint>

#include "api/json_writer.h"
#include "control/cluster/cluster_service.h"

namespace ty::api::v1 {

/// `position` counts from 1.
void write_queued(JsonWriter& out, const control::QueuedJob& job, std::int64_t position);

}  // namespace ty::api::v1
