#pragma once
#include <map>
#include <queue>
#include <set>
#include <vector>

#include "sched/impl/fences.h"
#include "sched/impl/future.h"
#include "sched/impl/state.h"
#include "sched/impl/turns.h"

/// One decision. First everyone in turn: started, or, for the first few that must wait, their
/// future room kept free. Then, shape by shape, those who fit beside what is kept.
namespace ty::sched {

class Pass {
 public:
  Pass(State& state, Time now);
  Plan run();

 private:
  /// Whose turn it is in a row.
  struct Candidate {
    Turn turn;
    RowKey key;
    const Ordered* row;
    std::size_t at;  ///< position in the row
    bool operator>(const Candidate& other) const { return turn > other.turn; }
  };
  using Heap = std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>>;
  /// A shape that may fit beside the fences.
  struct Passing {
    const ShapeLines* lines;
    std::shared_ptr<const Shape> shape;
    std::map<Passer, int> longest;  ///< LineKey::length that ends in time; what is known of it
  };

  void pay_debts();
  /// Shapes that fit into what is free, whoever asks.
  std::vector<const ShapeLines*> startable();
  bool none_startable();
  bool tight(const Shape& shape);
  bool barred(const Waiting& waiting) const;
  void in_turn();
  void beside();
  /// Starts the first of the row who fits; lines found in vain are noted and not asked again.
  bool start_one_beside(const RowKey& row,
                        std::vector<Passing>& shapes,
                        std::set<const Ordered*>& in_vain);
  /// The greatest LineKey::length with which such a request may fit beside the fences; -1 for none.
  int longest_beside(const Shape& shape, const Passer& passer);
  int longest_beside(Passing& shape, const Passer& passer);
  /// Whether anybody of the shape runs so short that it may pass.
  bool anyone_passes(Passing& shape);
  bool start(Waiting& waiting);
  /// Makes room by stopping others, if it may; else keeps its future room free.
  void block(Waiting& waiting);
  bool make_room(Waiting& waiting);
  bool anyone_evicts() const;
  std::optional<Time> next_level_change() const;
  void look_again(Time at);

  State& s_;
  Time now_;
  Turns turns_;
  Fences fences_;
  Future future_;
  int looked_ahead_ = 0;
  std::vector<std::shared_ptr<const Shape>> hopeful_;  ///< shapes that fitted when last looked at
  std::vector<const Waiting*> held_;
  Plan plan_;
};

/// Fences of reservations that last or are to come.
void raise_reservations(Fences& fences, const State& state, Time now);

}  // namespace ty::sched
