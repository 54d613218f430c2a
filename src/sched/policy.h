#pragma once
#include <cstdint>

#include "base/time.h"

namespace ty::sched {

/// Who goes first. Priority always comes before everything here.
enum class Order : std::uint8_t {
  Fair,     ///< workspaces by what they used lately against their weight, then first come, first
            ///< served
  Service,  ///< jobs that have run least so far go first, and preemptible ones make room for them
};

/// The knobs of a site.
struct Policy {
  Order order = Order::Fair;
  bool backfill = true;    ///< false: nobody passes a job that waits
  bool preemption = true;  ///< stop preemptible jobs of lower priority for those that wait
  bool moves = true;       ///< stop and place again small preemptible jobs, to free whole nodes
  Seconds quantum{
      10min};  ///< Order::Service: a job may run so long on one GPU before others come first
  Seconds half_life{7 * 24h};     ///< after so long, use counts half in the fair share
  Seconds starvation_bound{24h};  ///< after so long, a job goes before all others of its priority
  double starved_share = 1;  ///< that rule gives away no more than this part of all GPUs at once
  int reserved_heads = 8;    ///< so many blocked jobs have their future start kept free
};

/// Order::Service as sites use it. It leaves the largest jobs for last: those of them that waited
/// too long have a small part of the GPUs to themselves, so that each gets on, and the others stay
/// with those who need little. (docs/benchmarks.md: a larger part costs more than it gains.)
inline Policy service_policy() {
  Policy policy;
  policy.order = Order::Service;
  policy.starved_share = 0.05;
  return policy;
}

}  // namespace ty::sched
