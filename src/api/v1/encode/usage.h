#pragma once
#include "api/json_writer.h"
#include "control/jobs/usage_service.h"

namespace ty::api::v1 {

void write_usage(JsonWriter& out, const control::TaskUsageView& view);

}  // namespace ty::api::v1
