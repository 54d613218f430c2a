#pragma once
#include <algorithm>
#include <cmath>
#include <map>

#include "sched/request.h"

/// Estimates learn from how earlier ones turned out: whoever was told when it would start and then
/// started shows by how much the simulated future was too rosy, or too dark.
namespace ty::sched {

class EstimateCorrection {
 public:
  /// The simulated future said `wait`, before any correction.
  void estimated(const RequestId& id, WorkspaceId workspace, Time now, Millis wait) {
    if (wait < kTooShort) return;
    if (pending_.size() >= kRemembered) pending_.erase(pending_.begin());
    pending_.try_emplace(id, Pending{workspace, now, wait});
  }
  void started(const RequestId& id, Time now) {
    const auto at = pending_.find(id);
    if (at == pending_.end()) return;
    const auto& [workspace, asked, wait] = at->second;
    const double off =
        std::log(static_cast<double>(std::max<Millis>(now - asked, kTooShort).count()) /
                 static_cast<double>(wait.count()));
    auto& mine = off_[workspace];
    mine += kWeight * (std::clamp(off, -kMost, kMost) - mine);
    pending_.erase(at);
  }
  void withdrawn(const RequestId& id) { pending_.erase(id); }

  /// A simulated wait times this is what it usually becomes.
  double factor(WorkspaceId workspace) const {
    const auto off = off_.find(workspace);
    return off == off_.end() ? 1 : std::exp(off->second);
  }

 private:
  struct Pending {
    WorkspaceId workspace;
    Time asked{};
    Millis wait{0};
  };
  static constexpr Millis kTooShort = 60s;  ///< below, a wait says nothing about the future
  static constexpr std::size_t kRemembered = 4096;
  static constexpr double kWeight = 0.2;
  static constexpr double kMost = 3;  ///< twentyfold is as wrong as counts
  std::map<RequestId, Pending> pending_;
  std::map<WorkspaceId, double> off_;  ///< logarithm of real ÷ told
};

}  // namespace ty::sched
