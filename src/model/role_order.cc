#include "model/role_order.h"

namespace ty::model {

RoleOrder::RoleOrder(const JobSpec& spec) : later_(spec.roles.size()), targets_(spec.roles.size()) {
  for (std::size_t r = 0; r < spec.roles.size(); ++r) {
    for (const After& after : spec.roles[r].after) {
      int target = -1;
      for (std::size_t other = 0; other < spec.roles.size(); ++other) {
        if (spec.roles[other].name == after.role) target = static_cast<int>(other);
      }
      targets_[r].push_back(target);
      if (target >= 0 && after.when == AfterWhen::Succeeded) later_[r] = true;
    }
  }
  // Being later spreads along `started`; at most one role a round, so as many rounds as roles.
  for (bool spread = true; spread;) {
    spread = false;
    for (std::size_t r = 0; r < spec.roles.size(); ++r) {
      if (later_[r]) continue;
      for (const int target : targets_[r]) {
        if (target >= 0 && later_[static_cast<std::size_t>(target)]) later_[r] = spread = true;
      }
    }
  }
}

}  // namespace ty::model
