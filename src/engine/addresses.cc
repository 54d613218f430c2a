#include "engine/addresses.h"

#include "model/names.h"

namespace ty::engine {

model::Placement NetworkAddresses::settle(const model::JobSpec& spec,
                                          model::TaskRef task,
                                          model::Placement placed) {
  // Beyond what programs listen on by habit.
  constexpr int kFirstFree = 20'000;
  const model::RoleSpec& role = spec.roles[static_cast<std::size_t>(task.role)];
  placed.address = model::task_host(spec, task);
  int next = kFirstFree;
  for (const model::Port& port : model::all_ports(role)) {
    std::vector<int> numbers;
    for (std::int64_t i = 0; i < port.count; ++i)
      numbers.push_back(port.first != 0 ? static_cast<int>(port.first + i) : next++);
    placed.ports.push_back(std::move(numbers));
  }
  return placed;
}

}  // namespace ty::engine
