#pragma once
#include "api/json_writer.h"
#include "control/jobs/job_views.h"

namespace ty::api::v1 {

void write_why(JsonWriter& out, const control::Why& why);
/// When the job will start and what it waits for: the fields, into an object that is open.
void write_forecast_fields(JsonWriter& out, const control::Forecast& told);

}  // namespace ty::api::v1
