#pragma once
#include "api/json_writer.h"
#include "model/job.h"

namespace ty::api::v1 {

void write_event(JsonWriter& out, const model::Event& event);

}  // namespace ty::api::v1
