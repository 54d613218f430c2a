#include "sched/impl/node_reservations.h"

#include <algorithm>

namespace ty::sched {

bool NodeReservation::applies_to(const Requester& requester) const {
  if (advance != nullptr) {
    const auto& r = *advance;
    if (std::ranges::find(r.workspaces, requester.workspace) != r.workspaces.end()) return false;
    if (std::ranges::find(r.users, requester.owner) != r.users.end()) return false;
    return requester.ends_surely > at;  // a promise to people: habits of similar jobs do not count
  }
  if (requester.preemptible && requester.priority < for_priority) return false;
  return std::min(requester.ends_surely, requester.ends_likely) > at;
}

void NodeReservations::reset(int nodes) {
  for (int n : touched_) by_node_[n].clear();
  touched_.clear();
  by_node_.resize(nodes);
  count_ = 0;
}

void NodeReservations::add(int node, NodeReservation reservation) {
  by_node_[node].push_back(reservation);
  touched_.push_back(node);
  ++count_;
}

std::vector<Time> NodeReservations::times() const {
  std::vector<Time> times;
  for (int n : touched_) {
    for (const auto& reservation : by_node_[n]) times.push_back(reservation.at);
  }
  std::ranges::sort(times);
  times.erase(std::ranges::unique(times).begin(), times.end());
  return times;
}

Amount NodeReservations::room(int node, const Amount& free, const Requester& requester) const {
  Amount kept;
  for (const auto& reservation : by_node_[node]) {
    if (!reservation.applies_to(requester)) continue;
    // Two blocked jobs may count on the same resources one after the other; each is kept what it
    // needs.
    kept.cpu_milli = std::max(kept.cpu_milli, reservation.keep.cpu_milli);
    kept.memory = std::max(kept.memory, reservation.keep.memory);
    kept.gpus = std::max(kept.gpus, reservation.keep.gpus);
  }
  return free - kept;
}

void NodeReservations::allocated(int node, const Amount& amount, const Requester& requester) {
  for (auto& reservation : by_node_[node]) {
    if (reservation.applies_to(requester)) continue;
    reservation.keep.cpu_milli =
        std::max<std::int64_t>(0, reservation.keep.cpu_milli - amount.cpu_milli);
    reservation.keep.memory = std::max<std::int64_t>(0, reservation.keep.memory - amount.memory);
    reservation.keep.gpus = std::max<std::int64_t>(0, reservation.keep.gpus - amount.gpus);
  }
}

}  // namespace ty::sched
