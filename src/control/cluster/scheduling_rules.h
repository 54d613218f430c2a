#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "sched/policy.h"
#include "sched/world.h"

namespace ty::control {

/// What a workspace is promised and allowed, by its name.
struct Quota {
  std::string workspace;
  sched::Bound guarantee, limit, user_limit;
  double weight = 1;
};

/// Nodes set aside for some during [from, to), by their names.
struct ReservationRule {
  std::string name;
  std::vector<std::string> nodes, workspaces, users;
  Time from{};
  Time to{};
};

/// How this site shares its machines: one document that administrators read, change and put back.
/// `version` grows with each change, so that of two who change it at once the second is told.
struct SchedulingRules {
  std::int64_t version = 0;
  sched::Policy policy;
  std::vector<Quota> quotas;
  std::vector<ReservationRule> reservations;
  std::vector<std::string> draining;
};

std::string rules_to_json(const SchedulingRules& rules);
/// Strict: the error names every fault with its JSON pointer. A missing version is -1: whatever is
/// there is replaced.
Result<SchedulingRules> rules_from_json(std::string_view text);
/// All faults of a document as one error.
Error refused_rules(std::vector<Fault> faults);

}  // namespace ty::control
