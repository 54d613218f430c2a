#include "api/v1/encode/events.h"

namespace ty::api::v1 {

void write_event(JsonWriter& out, const model::Event& event) {
  out.object()
      .field("id", event.id.value)
      .field("at", event.at)
      .field("kind", event.kind)
      .field("job", event.job.str())
      .field("actor", event.actor)
      .key("data")
      .raw(event.data.empty() ? std::string_view("{}") : std::string_view(event.data))
      .end_object();
}

}  // namespace ty::api::v1
