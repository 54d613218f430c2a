#pragma once
#include "api/json_writer.h"
#include "control/logs/log_service.h"

namespace ty::api::v1 {

void write_log_lines(JsonWriter& out, const control::LogLines& lines);
void write_log_hits(JsonWriter& out, const control::LogHits& page);

}  // namespace ty::api::v1
