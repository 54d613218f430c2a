#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "model/job_spec.h"

/// What there is to share: machines, who is promised how much of them, and when some are set aside.
namespace ty::sched {

struct Gpu {
  std::string type;
  int link_group = 0;  ///< GPUs with the same number talk over NVLink
  bool healthy = true;
};

struct Node {
  std::string name;
  std::int64_t cpu_milli = 0;
  std::int64_t memory = 0;
  std::vector<Gpu> gpus;  ///< position = device index
  std::map<std::string, std::int64_t> devices;
  model::TextMap labels;
  bool draining = false;  ///< what runs goes on, nothing new starts
  bool healthy = true;
};

/// A bound on what is used at once; a missing one is no bound.
struct Bound {
  std::optional<std::int64_t> cpu_milli;
  std::optional<std::int64_t> memory;
  std::optional<std::int64_t> gpus;
};

/// What a workspace may use. A workspace nobody described has no guarantee and no limit.
struct Account {
  WorkspaceId workspace;
  std::string name;
  Bound guarantee;                ///< its own: others may borrow it, and give it back when asked
  Bound limit;                    ///< never more than this at once
  Bound user_limit;               ///< nor one of its users more than this
  double weight = 1;              ///< its part of what is left over, against other workspaces
  std::optional<double> balance;  ///< machine-hours left to spend; at 0 nothing new starts
};

/// Nodes set aside for some workspaces and users during [from, to).
struct Reservation {
  std::string name;
  std::vector<std::string> nodes;
  std::vector<WorkspaceId> workspaces;
  std::vector<UserId> users;
  Time from{};
  Time to{};
};

}  // namespace ty::sched
