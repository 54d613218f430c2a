#include "control/cluster/capacity.h"

namespace ty::control {

std::vector<sched::Node> scheduler_nodes(const engine::Engine& engine) {
  std::vector<sched::Node> nodes;
  for (const engine::NodeInfo& info : engine.nodes()) {
    sched::Node node{.name = info.name,
                     .cpu_milli = info.cpu_milli,
                     .memory = info.memory,
                     .labels = info.labels,
                     .healthy = info.healthy};
    for (const engine::Gpu& gpu : info.gpus) {
      node.gpus.push_back({.type = gpu.type, .link_group = gpu.link_group, .healthy = gpu.healthy});
    }
    nodes.push_back(std::move(node));
  }
  return nodes;
}

void Capacity::set_nodes(std::vector<sched::Node> nodes) {
  const std::lock_guard lock(mutex_);
  empty_.set_nodes(std::move(nodes));
}

Result<void> Capacity::fits_ever(const sched::Request& request) const {
  const std::lock_guard lock(mutex_);
  return empty_.fits_ever(request);
}

}  // namespace ty::control
