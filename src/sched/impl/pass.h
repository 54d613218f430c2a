#pragma once
#include <queue>
#include <vector>

#include "sched/impl/fences.h"
#include "sched/impl/state.h"

/// One decision: the waiting in their order, each started, or its future room kept free while
/// others pass.
namespace ty::sched {

/// Whose turn it is; the smallest first.
struct Turn {
  std::int64_t front = 0;
  std::int64_t urgency = 0;  ///< -priority
  int tier = 0;  ///< 0 waited too long, 1 takes what its workspace is guaranteed, 2 anyone else
  double share = 0;
  Time queued_at{};
  double number = 0;
  auto operator<=>(const Turn&) const = default;
};

Turn turn_of(const State& state, const Waiting& waiting, Time now);

class Pass {
 public:
  Pass(State& state, Time now);
  Plan run();

 private:
  struct Candidate {
    Turn turn;
    Line* line;
    std::size_t at;
    bool operator>(const Candidate& other) const { return turn > other.turn; }
  };
  using Heap = std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>>;

  bool tight(const Line& line) const;
  bool may_preempt(const Line& line) const;
  void push(Line& line, std::size_t at);
  /// Starts it if it may and fits; where it is only kept out by others' future, a later member of
  /// the line that ends in time may go instead.
  bool try_start(Line& line, std::size_t at);
  bool start(Waiting& waiting);
  void block(Line& line, std::size_t at);
  void look_again(Time at);

  State& s_;
  Time now_;
  Fences fences_;
  Heap heap_;
  std::vector<const Waiting*> held_;
  std::map<WorkspaceId, double> shares_;
  Plan plan_;
};

/// Fences of reservations that last or are to come.
void raise_reservations(Fences& fences, const State& state, Time now);

}  // namespace ty::sched
