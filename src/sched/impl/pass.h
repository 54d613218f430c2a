#pragma once
#include <queue>
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
  struct Candidate {
    Turn turn;
    const Ordered* from;
    std::size_t at;  ///< position in `from`
    const ShapeLines* shape;
    bool operator>(const Candidate& other) const { return turn > other.turn; }
  };
  using Heap = std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>>;

  /// Shapes that fit into what is free, whoever asks.
  std::vector<const ShapeLines*> startable();
  bool none_startable();
  bool tight(const Shape& shape);
  bool barred(const Waiting& waiting) const;
  void in_turn();
  void beside(const std::vector<const ShapeLines*>& shapes);
  /// The latest end with which a request of the shape fits beside the fences.
  Time window(const Shape& shape);
  bool start(Waiting& waiting);
  void block(Waiting& waiting);
  void look_again(Time at);

  State& s_;
  Time now_;
  Turns turns_;
  Fences fences_;
  Future future_;
  std::vector<std::shared_ptr<const Shape>> hopeful_;  ///< shapes that fitted when last looked at
  std::vector<const Waiting*> held_;
  Plan plan_;
};

/// Fences of reservations that last or are to come.
void raise_reservations(Fences& fences, const State& state, Time now);

}  // namespace ty::sched
