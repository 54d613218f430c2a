#include "api/v1/encode/tasks.h"

#include <fmt/format.h>

#include <algorithm>

namespace ty::api::v1 {

using model::to_word;

namespace {

void write_task_fields(JsonWriter& out, const model::JobSpec& spec, const model::Task& task) {
  const model::Placement* place = task.placement ? &*task.placement : nullptr;
  out.field("name", task_name(spec, task.ref))
      .field("index", task.ref.index)
      .field("state", to_word(task.state))
      .field("tries", task.tries)
      .key("node");
  place != nullptr ? out.value(place->node) : out.null();
  out.key("address");
  place != nullptr ? out.value(place->address) : out.null();
  out.key("gpus").array();
  if (place != nullptr) {
    for (const int gpu : place->gpus) out.value(gpu);
  }
  out.end_array().key("ports").object();
  if (place != nullptr) {
    const auto ports = model::all_ports(spec.roles[static_cast<std::size_t>(task.ref.role)]);
    for (std::size_t i = 0; i < std::min(ports.size(), place->ports.size()); ++i)
      out.field(ports[i].label, place->ports[i]);
  }
  out.end_object()
      .field("started_at", task.started_at)
      .field("ended_at", task.ended_at)
      .field("exit_code", task.ending.exit_code)
      .field("signal", task.ending.signal)
      .field("reason", word_or_empty(task.ending.reason))
      .field("message", task.ending.message)
      .field("hold_until", task.hold_until);
}

}  // namespace

std::string task_name(const model::JobSpec& spec, model::TaskRef task) {
  return fmt::format("{}-{}", spec.roles[static_cast<std::size_t>(task.role)].name, task.index);
}

void write_task(JsonWriter& out, const model::JobSpec& spec, const model::Task& task) {
  out.object();
  write_task_fields(out, spec, task);
  out.end_object();
}

void write_try(JsonWriter& out, const model::JobSpec& spec, int attempt, const model::Task& task) {
  out.object().field("attempt", attempt);
  write_task_fields(out, spec, task);
  out.end_object();
}

}  // namespace ty::api::v1
