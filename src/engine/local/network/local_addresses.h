#pragma once
#include <string>

#include "engine/addresses.h"
#include "engine/engine.h"
#include "engine/local/network/port_pool.h"

namespace ty::engine {

/// Addresses on one machine. Tasks with a network of their own are known by name; all others share
/// the machine's address and its ports, and are given some to meet at besides those they declare.
class LocalAddresses final : public Addresses {
 public:
  /// `address`: how tasks without a network of their own reach each other.
  LocalAddresses(const Capabilities& able, std::string address)
      : has_network_(able.own_network),
        shares_ports_(able.host_ports),
        address_(std::move(address)) {}

  model::Placement settle(const model::JobSpec& spec,
                          model::TaskRef task,
                          model::Placement placed) override;
  void adopt(const model::Placement& placement) override;
  void release(const model::Placement& placement) override;

 private:
  std::vector<int> numbers_for(const model::Port& port, bool is_only_declared);

  const bool has_network_;
  const bool shares_ports_;
  const std::string address_;
  PortPool ports_;
};

/// The ports where peers meet, drawn for a task besides those its role declares.
struct MeetingPorts {
  int tensorflow = 0;  ///< in TF_CONFIG
  int master = 0;      ///< MASTER_PORT, where the task is the first of the job
};
std::optional<MeetingPorts> meeting_ports(const model::Task& task, const model::RoleSpec& role);

}  // namespace ty::engine
