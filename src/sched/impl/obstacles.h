#pragma once
#include <vector>

#include "sched/impl/state.h"

/// What stands between a request and its start, found by asking the deciding code, one rule after
/// the other.
namespace ty::sched {

struct Obstacles {
  Explanation::Verdict verdict = Explanation::Verdict::Waits;
  std::vector<Statement> reasons;
};

Obstacles obstacles_of(State& state, const Waiting& waiting, Time now);

/// Why no set of the nodes, even empty, could run it; nothing when one could.
std::vector<Statement> never_fits(State& state,
                                  const Request& request,
                                  const std::shared_ptr<const Shape>& shape);

/// Why it does not fit on `cluster` as it is; for a shape that does not.
std::vector<Statement> shortfall(State& state, const Shape& shape);

/// Of the site's reservations and of those who go before it.
NodeReservations node_reservations_ahead_of(State& state,
                                            const Waiting& waiting,
                                            Time now,
                                            std::vector<const Waiting*>* ahead = nullptr);

/// Its id where it has no name.
std::string name_of(const Request& request);

}  // namespace ty::sched
