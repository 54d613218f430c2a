#include "api/v1/encode/queue.h"

namespace ty::api::v1 {

void write_queued(JsonWriter& out, const control::QueuedJob& job, std::int64_t position) {
  out.object()
      .field("position", position)
      .field("id", job.id.str())
      .field("name", job.name)
      .field("priority", job.priority)
      .field("tasks", job.tasks)
      .field("gpus", job.gpus)
      .field("queued_at", job.queued_at)
      .end_object();
}

}  // namespace ty::api::v1
