#include "api/v1/encode/usage.h"

#include <optional>

namespace ty::api::v1 {

namespace {

void write_point(JsonWriter& out, const control::UsagePoint& point) {
  const model::TaskUsage& usage = point.usage;
  std::optional<double> cpu_seconds;
  if (usage.cpu_us) cpu_seconds = static_cast<double>(*usage.cpu_us) / 1e6;
  out.object()
      .field("at", usage.at)
      .field("cpus", point.cpus)
      .field("cpu_seconds", cpu_seconds)
      .field("memory", usage.memory)
      .field("memory_peak", usage.memory_peak)
      .field("processes", usage.processes)
      .field("disk_read", usage.disk_read)
      .field("disk_written", usage.disk_written)
      .field("network_received", usage.network_received)
      .field("network_sent", usage.network_sent)
      .key("gpus")
      .array();
  for (const model::GpuUsage& gpu : usage.gpus) {
    out.object()
        .field("index", gpu.index)
        .field("load_percent", gpu.load_percent)
        .field("memory_used", gpu.memory_used)
        .end_object();
  }
  out.end_array().end_object();
}

}  // namespace

void write_usage(JsonWriter& out, const control::TaskUsageView& view) {
  out.object()
      .field("task", view.task)
      .field("attempt", view.key.attempt)
      .field("try", view.key.tries)
      .field("cpus", static_cast<double>(view.limits.cpu_milli) / 1000)
      .field("memory", view.limits.memory)
      .key("latest");
  view.latest ? write_point(out, *view.latest) : void(out.null());
  out.key("points").array();
  for (const control::UsagePoint& point : view.points) write_point(out, point);
  out.end_array().end_object();
}

}  // namespace ty::api::v1
