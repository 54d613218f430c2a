#pragma once
#include <cstdint>
#include <map>
#include <vector>

#include "sched/impl/cluster.h"

/// GPUs per node that are held by jobs who may be asked to leave. It answers at once whether asking
/// could help at all, so that a blocked job does not have everybody looked at in vain at every
/// decision.
namespace ty::sched {

class Loose {
 public:
  void add(std::int64_t priority, int node, std::int64_t gpus) {
    if (gpus == 0) return;
    auto& held = by_priority_[priority];
    if (held.size() <= static_cast<std::size_t>(node)) held.resize(node + 1);
    held[node] += static_cast<std::int32_t>(gpus);
  }
  void remove(std::int64_t priority, int node, std::int64_t gpus) { add(priority, node, -gpus); }

  /// Free GPUs of every open node with those held by jobs of at most this priority. `changes` says
  /// whether anything happened since the same was asked last.
  const std::vector<std::int32_t>& with_free(const Cluster& cluster,
                                             std::int64_t priority,
                                             std::uint64_t changes) const {
    auto& answer = answers_[priority];
    if (answer.changes == changes && answer.site == cluster.site_version()) return answer.gpus;
    if (answers_.size() > kAnswers) return answers_.clear(), with_free(cluster, priority, changes);
    answer.changes = changes;
    answer.site = cluster.site_version();
    const auto& open = cluster.site().open;
    answer.gpus.resize(static_cast<std::size_t>(cluster.nodes()));
    for (int n = 0; n < cluster.nodes(); ++n)
      answer.gpus[n] = open[n] ? static_cast<std::int32_t>(cluster.free(n).gpus) : 0;
    for (const auto& [held_by, held] : by_priority_) {
      if (held_by > priority) break;
      for (std::size_t n = 0; n < held.size(); ++n) answer.gpus[n] += open[n] ? held[n] : 0;
    }
    return answer.gpus;
  }

 private:
  struct Answer {
    std::uint64_t changes = 0;
    std::uint64_t site = 0;
    std::vector<std::int32_t> gpus;
  };
  static constexpr std::size_t kAnswers = 16;
  mutable std::map<std::int64_t, Answer> answers_;  ///< by priority
  std::map<std::int64_t, std::vector<std::int32_t>> by_priority_;
};

}  // namespace ty::sched
