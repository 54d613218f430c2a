#include "sched/request.h"

#include <algorithm>
#include <map>

namespace ty::sched {
namespace {

Group group_of(const model::RoleSpec& role, bool host_ports) {
  Group group;
  group.each = role.resources;
  group.node_labels = role.node_labels;
  if (host_ports || role.network == model::Network::Host) {
    for (const auto& port : role.ports) {
      for (std::int64_t i = 0; port.first > 0 && i < port.count; ++i) {
        group.fixed_ports.push_back(static_cast<int>(port.first + i));
      }
    }
  }
  return group;
}

}  // namespace

int part_of(const model::JobLife& life, model::TaskRef first) {
  const auto at = std::ranges::find(life.tasks, first, &model::Task::ref);
  return 1 + static_cast<int>(at - life.tasks.begin());
}

std::vector<Request> requests_for(const model::Job& job,
                                  const model::JobSpec& spec,
                                  const std::vector<model::TaskRef>& tasks,
                                  bool host_ports) {
  if (tasks.empty()) return {};
  Request common;
  common.id.job = job.id;
  common.name = job.name;
  common.workspace = job.workspace;
  common.workspace_name = job.workspace_name;
  common.owner = job.owner;
  common.priority = job.priority;
  common.preemptible = model::is_preemptible(spec);
  // Whoever had to make room does not lose their place for it.
  const bool made_room = job.life.decision.reason == model::Reason::Preempted;
  common.queued_at = made_room ? job.created_at : job.life.queued_at;
  common.arrival = job.seq.value;
  common.not_before = job.life.not_before;
  common.attained = job.life.ran;
  if (job.life.time_limit) {
    common.time_left = std::max(
        Seconds(0), *job.life.time_limit - std::chrono::duration_cast<Seconds>(job.life.ran));
  }

  std::map<int, Group> by_role;
  for (const auto& task : tasks) {
    auto [group, is_new] = by_role.try_emplace(task.role);
    const bool takes_ports = host_ports && !model::only_declares_ports(spec);
    if (is_new) group->second = group_of(spec.roles[task.role], takes_ports);
    group->second.tasks.push_back(task);
  }

  std::vector<Request> requests;
  if (job.life.state == model::JobState::Queued) {
    Request gang = common;
    for (auto& [role, group] : by_role) {
      const auto& r = spec.roles[role];
      // A job-wide minimum replaces "all of them" as the default of each role.
      const auto by_default = spec.min_available ? 0 : r.count;
      group.min_tasks = static_cast<int>(
          std::min<std::int64_t>(r.min_available.value_or(by_default), group.tasks.size()));
      gang.min_tasks += group.min_tasks;
      gang.groups.push_back(std::move(group));
    }
    if (spec.min_available) {
      gang.min_tasks = static_cast<int>(std::clamp<std::int64_t>(
          std::max<std::int64_t>(*spec.min_available, gang.min_tasks), 1, tasks.size()));
    }
    requests.push_back(std::move(gang));
    return requests;
  }

  for (auto& [role, group] : by_role) {
    const auto& r = spec.roles[role];
    const bool as_a_whole = !spec.min_available && !r.after.empty() &&
                            static_cast<std::int64_t>(group.tasks.size()) == r.count;
    std::vector<std::vector<model::TaskRef>> parts;
    if (as_a_whole) {
      parts.push_back(group.tasks);
    } else {
      for (const auto& task : group.tasks) parts.push_back({task});
    }
    for (auto& part : parts) {
      Request request = common;
      request.id.part = part_of(job.life, part.front());
      request.min_tasks = static_cast<int>(part.size());
      Group own = group;
      own.min_tasks = request.min_tasks;
      own.tasks = std::move(part);
      request.groups.push_back(std::move(own));
      requests.push_back(std::move(request));
    }
  }
  return requests;
}

}  // namespace ty::sched
