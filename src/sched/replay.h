#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "sched/policy.h"

/// A recorded trace through the production scheduler, beside policies that know less or more.
namespace ty::sched {

struct TraceJob {
  Time submitted{};
  Millis duration{0};
  int gpus = 1;
  int tenant = 0;  ///< position in Trace::tenants
};

struct Trace {
  std::vector<TraceJob> jobs;  ///< by time of submission
  std::vector<std::string> tenants;
};

/// CSV with a header naming at least `timestamp` (`YYYY-MM-DD HH:MM:SS`, UTC), `duration`
/// (seconds), `num_gpus` and optionally `cluster` (the tenant), in any order. Faults name their
/// line.
Result<Trace> read_trace(std::string_view csv);

enum class ReplayPolicy : std::uint8_t {
  Fifo,        ///< strictly in order of arrival; GPUs are counted, nodes are not looked at
  FifoSkip,    ///< in order, but who does not fit is passed
  Oracle,      ///< knows every duration: shortest remaining time first, stopping others at will
  Production,  ///< the scheduler of this program on real nodes; it does not know durations
};
std::string_view to_string(ReplayPolicy policy);
Result<ReplayPolicy> replay_policy(std::string_view word);

struct ReplaySite {
  int nodes = 60;
  int gpus_per_node = 8;
};

/// What the production policy is in a replay: every job counts as preemptible, all have the same
/// priority.
Policy replay_production_policy();

struct ReplayResult {
  ReplayPolicy policy = ReplayPolicy::Fifo;
  std::vector<Millis> completion;  ///< from submission to end, per job of the trace
  std::vector<Millis> wait;        ///< the same less its duration
  std::vector<double>
      estimate_error;  ///< of those estimated at submission: |estimated - real| / real wait
  std::int64_t preemptions = 0;
  double utilisation = 0;  ///< of all GPUs, from the first submission to the last end
  double idle_while_wanted =
      0;  ///< part of all GPU time that was free although a job waited: fragmentation
  std::vector<std::pair<Time, int>> waiting;  ///< how many waited, sampled
};

/// Jobs larger than a node become gangs of equal tasks. Nothing is lost when a job is stopped: it
/// goes on where it was.
ReplayResult replay(const Trace& trace,
                    const ReplaySite& site,
                    ReplayPolicy policy,
                    const Policy& production = replay_production_policy());

/// The results side by side, for a terminal. `fifo` waits are the yardstick of the last column.
std::string replay_table(const Trace& trace, const std::vector<ReplayResult>& results);
/// One HTML page with plots (SVG, no scripts): completion times, jobs waiting over time, mean wait
/// per tenant.
std::string replay_page(const Trace& trace,
                        const ReplaySite& site,
                        const std::vector<ReplayResult>& results);

}  // namespace ty::sched
