#pragma once
#include <vector>

#include "model/job_spec.h"

namespace ty::model {

/// What `after` means for who is placed when. Roles that wait for another's *success* come later,
/// as gangs of their own; so does whoever waits for the start of such a role. Everyone else is
/// placed with the first gang, though a command may be held back until another role has started.
class RoleOrder {
 public:
  explicit RoleOrder(const JobSpec& spec);

  bool is_later(std::size_t role) const { return later_[role]; }
  /// Roles (by position) that `role` names in its n-th `after`; -1 when no role has that name.
  int target(std::size_t role, std::size_t n) const { return targets_[role][n]; }

 private:
  std::vector<bool> later_;
  std::vector<std::vector<int>> targets_;
};

}  // namespace ty::model
