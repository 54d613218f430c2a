#pragma once
#include <string>
#include <vector>

#include "config/config.h"
#include "engine/engine.h"
#include "model/job_spec.h"

namespace ty::engine {

/// What a site lets jobs ask for beyond the ordinary. Judged when a job is handed in, and again
/// whenever a task of it starts: a job may be older than the settings.
struct Permissions {
  std::vector<std::string> caps = {"ptrace", "ipc_lock"};
  bool root = false;               ///< `run_as` may name user or group 0
  std::vector<std::string> users;  ///< of the machine, where tasks are its processes
  bool host_network = false;       ///< where a job has a network of its own
};

Permissions permissions_of(const config::Config& config);

/// Something a job may not have here.
struct Refusal {
  std::string pointer;  ///< JSON pointer, `/roles/worker/caps`
  Message why;          ///< names the field as its dialect does, and the setting
};

/// All that this role asks for and may not have; empty: it may run. An image's own user is not
/// asked for, so images that run as root do: with few capabilities and no way to more.
std::vector<Refusal> refusals(const Permissions& permissions,
                              const Capabilities& able,
                              const model::JobSpec& spec,
                              const model::RoleSpec& role);

}  // namespace ty::engine
