#pragma once
#include <algorithm>
#include <cmath>
#include <map>

#include "sched/request.h"

/// Estimates learn from how earlier ones turned out: whoever was told when it would start and then
/// started shows by how much the simulated future was too rosy, or too dark.
namespace ty::sched {

class Hindsight {
 public:
  /// The simulated future said `wait`, before any correction.
  void told(const RequestId& id, WorkspaceId workspace, Time now, Millis wait) {
    if (wait < kTooShort) return;
    if (told_.size() >= kRemembered) told_.erase(told_.begin());
    told_.try_emplace(id, Told{workspace, now, wait});
  }
  void started(const RequestId& id, Time now) {
    const auto at = told_.find(id);
    if (at == told_.end()) return;
    const auto& [workspace, asked, wait] = at->second;
    const double off =
        std::log(static_cast<double>(std::max<Millis>(now - asked, kTooShort).count()) /
                 static_cast<double>(wait.count()));
    auto& mine = off_[workspace];
    mine += kWeight * (std::clamp(off, -kMost, kMost) - mine);
    told_.erase(at);
  }
  void withdrawn(const RequestId& id) { told_.erase(id); }

  /// A simulated wait times this is what it usually becomes.
  double correction(WorkspaceId workspace) const {
    const auto off = off_.find(workspace);
    return off == off_.end() ? 1 : std::exp(off->second);
  }

 private:
  struct Told {
    WorkspaceId workspace;
    Time asked{};
    Millis wait{0};
  };
  static constexpr Millis kTooShort = 60s;  ///< below, a wait says nothing about the future
  static constexpr std::size_t kRemembered = 4096;
  static constexpr double kWeight = 0.2;
  static constexpr double kMost = 3;  ///< twentyfold is as wrong as counts
  std::map<RequestId, Told> told_;
  std::map<WorkspaceId, double> off_;  ///< logarithm of real ÷ told
};

}  // namespace ty::sched
