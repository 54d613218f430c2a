#pragma once
#include <optional>
#include <vector>

#include "sched/impl/state.h"

/// When and where a blocked request will fit, judging by when those who run are expected to end.
namespace ty::sched {

/// What is expected to happen, worked out once for a decision.
class Future {
 public:
  Future(State& state, Time now) : s_(state), now_(now) {}

  /// `ahead` are those who go before it: the pieces of their holds are not counted on. Nothing when
  /// it would not fit even if everybody left.
  std::optional<Hold> find_hold(const Waiting& waiting, const std::vector<const Waiting*>& ahead);

 private:
  /// At `at` a running task's pieces come free, or a hold's pieces go.
  struct Event {
    Time at{};
    bool frees = true;
    int order = 0;
    Piece piece;
    const TaskNeed* need = nullptr;
    bool operator<(const Event& o) const {
      return at != o.at ? at < o.at : frees != o.frees ? frees : order < o.order;
    }
  };
  void collect();
  static void happen(Cluster& cluster,
                     const std::vector<Event>& events,
                     std::size_t from,
                     std::size_t to);

  State& s_;
  Time now_;
  bool collected_ = false;
  std::vector<Event>
      ends_;  ///< of those who ran before this decision; those it starts are not counted on
};

/// Keeps later comers from what the hold needs and will not get back in time.
void raise_fences(
    Fences& fences, const State& state, const Waiting& waiting, const Hold& hold, Time now);

}  // namespace ty::sched
