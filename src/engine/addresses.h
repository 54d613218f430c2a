#pragma once
#include "model/job.h"
#include "model/job_spec.h"

namespace ty::engine {

/// How peers will reach tasks, settled when they are placed, because every task is told of all
/// others. Called from one thread; never blocks for longer than a look at a socket.
class Addresses {
 public:
  virtual ~Addresses() = default;
  /// Completes a placement that has its node and devices: the address, and a list of ports for each
  /// of `all_ports(role)`. An empty list: no port is free. What it hands out is the task's until
  /// `release`.
  virtual model::Placement settle(const model::JobSpec& spec,
                                  model::TaskRef task,
                                  model::Placement placed) = 0;
  /// Of a task that an earlier server placed.
  virtual void adopt(const model::Placement& placement) = 0;
  virtual void release(const model::Placement& placement) = 0;
};

/// Where every job has a network of its own: tasks are known by name, and ports are theirs to
/// choose.
class NetworkAddresses final : public Addresses {
 public:
  model::Placement settle(const model::JobSpec& spec,
                          model::TaskRef task,
                          model::Placement placed) override;
  void adopt(const model::Placement&) override {}
  void release(const model::Placement&) override {}
};

}  // namespace ty::engine
