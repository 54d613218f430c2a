#pragma once
#include <string>

#include "base/message.h"
#include "model/job_progress.h"

namespace ty::model {

/// A line of the timeline about one task that changes nothing:
/// `{"task":"worker-1","attempt":0,"tries":0,"text":"Memory is not limited: …"}`.
Note task_note(std::string kind, const JobSpec& spec, const TaskKey& key, const Message& text);

}  // namespace ty::model
