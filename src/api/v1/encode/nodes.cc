#include "api/v1/encode/nodes.h"

#include <algorithm>

#include "model/words.h"

namespace ty::api {

using model::to_word;

void write_node(JsonWriter& out, const control::NodeView& node) {
  out.object()
      .field("name", node.info.name)
      .field("address", node.info.address)
      .field("healthy", node.info.healthy)
      .field("draining", node.draining)
      .field("problem", node.info.problem)
      .field("runtime", to_word(node.info.able.runtime))
      .field("images", node.info.able.images)
      .field("warnings", node.info.able.warnings)
      .key("labels")
      .object();
  for (const auto& [name, value] : node.info.labels) out.field(name, value);
  out.end_object()
      .field("cpus", static_cast<double>(node.info.cpu_milli) / 1000)
      .field("cpus_used", static_cast<double>(node.use.cpu_milli) / 1000)
      .field("memory", node.info.memory)
      .field("memory_used", node.use.memory)
      .key("gpus")
      .array();
  const auto known = [](int value) {
    return value < 0 ? std::nullopt : std::optional<std::int64_t>(value);
  };
  for (std::size_t i = 0; i < node.info.gpus.size(); ++i) {
    const bool used = std::ranges::find(node.use.gpus, static_cast<int>(i)) != node.use.gpus.end();
    const engine::Gpu& gpu = node.info.gpus[i];
    out.object()
        .field("index", static_cast<std::int64_t>(i))
        .field("type", gpu.type)
        .field("used", used)
        .field("model", gpu.model)
        .field("uuid", gpu.uuid)
        .field("link_group", gpu.link_group)
        .field("healthy", gpu.healthy)
        .field("problem", gpu.problem)
        .field("memory", gpu.memory)
        .field("memory_used", gpu.memory_used)
        .field("load_percent", known(gpu.load_percent))
        .field("celsius", known(gpu.celsius))
        .field("watts", known(gpu.watts))
        .end_object();
  }
  out.end_array().key("jobs").array();
  for (const JobId& job : node.use.jobs) out.value(job.str());
  out.end_array().end_object();
}

}  // namespace ty::api
