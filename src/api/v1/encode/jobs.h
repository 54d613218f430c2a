#pragma once
#include <string_view>

#include "api/json_writer.h"
#include "control/jobs/job_views.h"

namespace ty::api::v1 {

/// `waiting_for`: why it waits, where the caller asked the scheduler.
void write_summary(JsonWriter& out, const model::Job& job, const Message& waiting_for = {});
void write_job(JsonWriter& out, const control::JobView& view);
void write_attempt(JsonWriter& out, const control::AttemptView& attempt);
/// What ended the job, or null; `spec` names the task where it is at hand.
void write_decision(JsonWriter& out, const model::Decision& decision, const model::JobSpec* spec);

}  // namespace ty::api::v1
