#pragma once
#include <vector>

#include "api/json_writer.h"
#include "control/jobs/job_views.h"

namespace ty::api::v1 {

void write_submitted(JsonWriter& out, const std::vector<control::Submitted>& jobs);
void write_issue(JsonWriter& out, const jobspec::Issue& issue);

}  // namespace ty::api::v1
