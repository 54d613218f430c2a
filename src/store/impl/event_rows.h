#pragma once
#include <string_view>

#include "base/result.h"
#include "model/job.h"
#include "store/tx.h"

namespace ty::store {

/// What an event of a job is about; a job that goes in the same transaction gives its id as well,
/// since nobody can look it up later.
struct EventSubject {
  std::optional<JobSeq> job;
  std::optional<WorkspaceId> workspace;
  std::optional<UserId> owner;
  std::optional<JobId> gone_job;
};

Result<EventId> append_event(Tx& tx,
                             const EventSubject& subject,
                             Time at,
                             std::string_view kind,
                             std::string_view actor,
                             std::string_view data);

}  // namespace ty::store
