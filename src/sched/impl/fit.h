#pragma once
#include <optional>
#include <vector>

#include "sched/impl/cluster.h"
#include "sched/impl/node_reservations.h"
#include "sched/impl/shape.h"

/// Finds room for a gang: whole or not at all.
namespace ty::sched {

using Options = std::vector<GroupOptions>;  ///< per group of the shape
Options options_for(const Shape& shape, const Site& site);

/// Who asks, what must stay free, and how much they may take in all.
struct Terms {
  const NodeReservations* node_reservations = nullptr;  ///< null: none
  Requester requester;
  Amount allowance = Amount::boundless();
};

/// Takes an allocation for every task, or, where the shape allows, for as many as there is room
/// for; nothing is taken when even its minimum does not fit. Allocations come in the order of the
/// shape's groups, each group's in the order of its tasks, so neighbours by index share nodes.
///
/// Packing: the tightest node that takes the whole group, else the emptiest nodes in turn, so that
/// small jobs fill gaps and whole nodes stay whole; on a node the tightest NVLink group. One GPU
/// type per group where possible.
std::optional<std::vector<Allocation>> place(Cluster& cluster,
                                             const Shape& shape,
                                             const Options& options,
                                             const Terms& terms);

/// The same without taking.
std::optional<std::vector<Allocation>> find_place(Cluster& cluster,
                                                  const Shape& shape,
                                                  const Options& options,
                                                  const Terms& terms);
bool fits(Cluster& cluster, const Shape& shape, const Options& options, const Terms& terms);

/// Whether the node has room for a single task of any of its groups, whoever asks.
bool fits_one_on(Cluster& cluster, int node, const Shape& shape, const Options& options);

}  // namespace ty::sched
