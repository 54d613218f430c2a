#include "api/v1/encode/nodes.h"

namespace ty::api::v1 {

void write_node(JsonWriter& out, const control::NodeView& node) {
  out.object()
      .field("name", node.name)
      .field("address", node.address)
      .field("healthy", node.healthy)
      .field("draining", node.draining)
      .field("problem", node.problem)
      .field("runtime", node.runtime)
      .field("images", node.images)
      .field("warnings", node.warnings)
      .key("labels")
      .object();
  for (const auto& [name, value] : node.labels) out.field(name, value);
  out.end_object()
      .field("cpus", static_cast<double>(node.cpu_milli) / 1000)
      .field("cpus_used", static_cast<double>(node.cpu_milli_used) / 1000)
      .field("memory", node.memory)
      .field("memory_used", node.memory_used)
      .key("gpus")
      .array();
  for (std::size_t i = 0; i < node.gpus.size(); ++i) {
    const control::GpuView& gpu = node.gpus[i];
    out.object()
        .field("index", static_cast<std::int64_t>(i))
        .field("type", gpu.type)
        .field("used", gpu.used)
        .field("model", gpu.model)
        .field("uuid", gpu.uuid)
        .field("link_group", gpu.link_group)
        .field("healthy", gpu.healthy)
        .field("problem", gpu.problem)
        .field("memory", gpu.memory)
        .field("memory_used", gpu.memory_used)
        .field("load_percent", gpu.load_percent)
        .field("celsius", gpu.celsius)
        .field("watts", gpu.watts)
        .end_object();
  }
  out.end_array().key("jobs").array();
  for (const JobId& job : node.jobs) out.value(job.str());
  out.end_array().end_object();
}

}  // namespace ty::api::v1
