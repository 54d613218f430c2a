#pragma once
#include <map>
#include <queue>
#include <vector>

#include "sched/impl/state.h"

/// Who goes first.
namespace ty::sched {

/// What is promised comes before what was waited for, and that before everything else.
enum Tier : int {
  kBelowGuarantee,  ///< its workspace uses less than it is guaranteed
  kStarved,         ///< it waited too long
  kAnyone,
};

/// The smallest goes first.
struct Rank {
  std::int64_t front = 0;    ///< put there by hand
  std::int64_t urgency = 0;  ///< -priority
  int tier = kAnyone;
  double share = 0;  ///< what its workspace uses and used lately
  Time queued_at{};
  double number = 0;
  auto operator<=>(const Rank&) const = default;
};

/// Ranks at one moment. Shares are remembered until told that a workspace started something.
class Ranking {
 public:
  Ranking(const State& state, Time now) : s_(state), now_(now) {}
  Rank of(const Waiting& waiting);
  /// Of one in this row.
  Rank of(const RowKey& row, const Ordered::Member& member);
  /// How many of the row rank before it. Members of a row come in the order of their ranks, so it
  /// is searched, not walked.
  std::size_t before(const Rank& rank, const RowKey& key, const Ordered& row);
  void started(WorkspaceId workspace) { known_.erase(workspace); }

 private:
  struct Known {
    bool below_guarantee = false;
    double share = 0;
  };
  const State& s_;
  Time now_;
  std::map<WorkspaceId, Known> known_;
};

/// Everybody who waits awake, in the order of their ranks.
class InRankOrder {
 public:
  InRankOrder(Ranking& ranking, const Queue& queue);
  /// Null after the last.
  const Waiting* next();
  Rank rank() const { return heap_.top().rank; }
  bool done() const { return heap_.empty(); }

 private:
  struct Head {
    Rank rank;
    const RowKey* key;
    const Ordered* row;
    std::size_t at;
    bool operator>(const Head& o) const { return rank > o.rank; }
  };
  Ranking& ranking_;
  std::priority_queue<Head, std::vector<Head>, std::greater<>> heap_;
};

}  // namespace ty::sched
