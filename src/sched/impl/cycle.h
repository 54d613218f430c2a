#pragma once
#include <map>
#include <queue>
#include <set>
#include <vector>

#include "sched/impl/lookahead.h"
#include "sched/impl/node_reservations.h"
#include "sched/impl/ranking.h"
#include "sched/impl/state.h"

/// One scheduling cycle. First everyone in the order of their ranks: started, or, for the first few
/// that must wait, given room by preemption or a planned start that is reserved. Then backfill:
/// shape by shape, those who fit without delaying a planned start.
namespace ty::sched {

class Cycle {
 public:
  Cycle(State& state, Time now);
  Plan run();

 private:
  /// Who of a row comes next.
  struct Candidate {
    Rank rank;
    RowKey key;
    const Ordered* row;
    std::size_t at;  ///< position in the row
    bool operator>(const Candidate& other) const { return rank > other.rank; }
  };
  using Heap = std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>>;
  /// A shape that may be backfilled.
  struct BackfillShape {
    const ShapeLines* lines;
    std::shared_ptr<const Shape> shape;
    std::map<BackfillClass, int>
        longest;  ///< LineKey::length that ends in time; what is known of it
  };

  /// Those whose victims are all gone start before anybody else.
  void start_preemptors();
  /// Shapes that fit into what is free, whoever asks.
  std::vector<const ShapeLines*> startable_shapes();
  bool none_startable();
  bool lacks_room(const Shape& shape);
  bool over_quota(const Waiting& waiting) const;
  void start_in_order();
  void backfill();
  /// Starts the first of the row who fits; lines of which nobody does are noted and not tried
  /// again.
  bool backfill_one(const RowKey& row,
                    std::vector<BackfillShape>& shapes,
                    std::set<const Ordered*>& failed_lines);
  /// The greatest LineKey::length with which such a request may be backfilled; -1 for none.
  int longest_backfill(const Shape& shape, const BackfillClass& backfill_class);
  int longest_backfill(BackfillShape& shape, const BackfillClass& backfill_class);
  /// Whether anybody of the shape runs so short that it may be backfilled.
  bool any_backfills(BackfillShape& shape);
  bool start(Waiting& waiting);
  /// Makes room by preemption, if it may; else reserves where it will start.
  void preempt_or_reserve(Waiting& waiting);
  bool try_preempt(Waiting& waiting);
  bool anyone_preempts() const;
  std::optional<Time> next_level_change() const;
  void look_again(Time at);

  State& s_;
  Time now_;
  Ranking ranking_;
  NodeReservations node_reservations_;
  Lookahead lookahead_;
  int lookaheads_ = 0;
  std::vector<std::shared_ptr<const Shape>> startable_;  ///< shapes that fitted when last looked at
  std::vector<const Waiting*> reserved_;
  Plan plan_;
};

/// What the site's reservations, those that last and those to come, keep on their nodes.
void add_advance_reservations(NodeReservations& node_reservations, const State& state, Time now);

}  // namespace ty::sched
