#include "model/job_spec.h"

#include <algorithm>

#include "model/job.h"
#include "model/role_order.h"

namespace ty::model {

bool is_preemptible(const JobSpec& spec) { return spec.preemptible.value_or(spec.priority < 0); }

std::int64_t task_count(const JobSpec& spec) {
  std::int64_t tasks = 0;
  for (const RoleSpec& role : spec.roles) tasks += role.count;
  return tasks;
}

std::int64_t gpu_count(const JobSpec& spec) {
  std::int64_t gpus = 0;
  for (const RoleSpec& role : spec.roles) gpus += role.count * role.resources.gpus;
  return gpus;
}

std::int64_t gang_size(const JobSpec& spec) {
  const RoleOrder order(spec);
  std::int64_t tasks = 0;
  std::int64_t required = 0;
  for (std::size_t r = 0; r < spec.roles.size(); ++r) {
    if (order.is_later(r)) continue;
    tasks += spec.roles[r].count;
    required += spec.roles[r].min_available.value_or(spec.roles[r].count);
  }
  return spec.min_available ? std::min(*spec.min_available, tasks) : required;
}

bool only_declares_ports(const JobSpec& spec) {
  return spec.dialect == Dialect::Volcano || spec.dialect == Dialect::GpuManager;
}

std::vector<Port> all_ports(const RoleSpec& role) {
  std::vector<Port> ports;
  ports.reserve(role.ports.size() + 2);
  for (const char* label : {"http", "ssh"}) {
    const bool declared =
        std::ranges::any_of(role.ports, [&](const Port& port) { return port.label == label; });
    if (!declared) ports.push_back({.label = label});
  }
  ports.insert(ports.end(), role.ports.begin(), role.ports.end());
  return ports;
}

}  // namespace ty::model
