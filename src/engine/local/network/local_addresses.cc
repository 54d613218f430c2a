#include "engine/local/network/local_addresses.h"

#include "model/names.h"

namespace ty::engine {

std::vector<int> LocalAddresses::numbers_for(const model::Port& port, bool is_only_declared) {
  const auto first = static_cast<int>(port.first);
  const bool wishes = shares_ports_ && is_only_declared;
  if (wishes && first != 0 && port.count == 1 && ports_.claim(first)) return {first};
  if (first == 0 || wishes)
    return ports_.draw(static_cast<int>(port.count)).value_or(std::vector<int>{});
  // The scheduler keeps our own tasks apart; a port that a stranger holds shows when the task is
  // started.
  std::vector<int> numbers;
  for (int i = 0; i < port.count; ++i) numbers.push_back(first + i);
  ports_.adopt(numbers);
  return numbers;
}

model::Placement LocalAddresses::settle(const model::JobSpec& spec,
                                        model::TaskRef task,
                                        model::Placement placed) {
  const model::RoleSpec& role = spec.roles[static_cast<std::size_t>(task.role)];
  // On a network of their own tasks find each other by name, whatever addresses they will get.
  const bool has_name = has_network_ && role.network == model::Network::Bridge;
  placed.address = has_name ? model::task_host(spec, task) : address_;
  for (const model::Port& port : model::all_ports(role))
    placed.ports.push_back(numbers_for(port, model::only_declares_ports(spec)));
  if (model::task_count(spec) > 1 && !has_network_) {
    if (auto drawn = ports_.draw(2)) placed.ports.push_back(*std::move(drawn));
  }
  return placed;
}

void LocalAddresses::adopt(const model::Placement& placement) {
  for (const std::vector<int>& ports : placement.ports) ports_.adopt(ports);
}

void LocalAddresses::release(const model::Placement& placement) {
  for (const std::vector<int>& ports : placement.ports) ports_.give_back(ports);
}

std::optional<MeetingPorts> meeting_ports(const model::Task& task, const model::RoleSpec& role) {
  if (!task.placement || task.placement->ports.size() <= model::all_ports(role).size())
    return std::nullopt;
  const std::vector<int>& drawn = task.placement->ports.back();
  if (drawn.size() < 2) return std::nullopt;
  return MeetingPorts{.tensorflow = drawn[0], .master = drawn[1]};
}

}  // namespace ty::engine
