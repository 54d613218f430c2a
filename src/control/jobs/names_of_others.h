#pragma once
#include <functional>
#include <vector>

#include "base/ids.h"
#include "base/message.h"
#include "control/jobs/forecast.h"

/// What the scheduler says of one job names others: whose start it would delay, who has its port,
/// who would have to stop. Here those are counted instead, for people who may not see them: the
/// same rule as in the queue. It works on messages as values, before anything is worded or sent.
namespace ty::control {

/// Every job that these messages name, each once.
std::vector<JobId> jobs_named_in(const std::vector<Message>& messages);

using MaySee = std::function<bool(const JobId& job)>;

/// The message with neither name nor id of a job that may not be seen.
Message without_names_of_others(Message message, const MaySee& may_see);
Forecast without_names_of_others(Forecast forecast, const MaySee& may_see);

/// Why a job was preempted, for those who may see it and nothing of the workspace it made room for.
/// It is stored like this: whoever looks at the job later reads the same.
Message preempted_for_others(Message why);

}  // namespace ty::control
