#include "api/v1/encode/queue.h"

namespace ty::api {

void write_queued(JsonWriter& out,
                  const control::JobService::QueuedJob& job,
                  std::int64_t position) {
  out.object()
      .field("position", position)
      .field("id", job.entry.id.job.str())
      .field("name", job.entry.name)
      .field("priority", job.entry.priority)
      .field("tasks", job.entry.tasks)
      .field("gpus", job.entry.gpus)
      .field("queued_at", job.entry.queued_at)
      .end_object();
}

}  // namespace ty::api
