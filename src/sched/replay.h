#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "sched/policy.h"

/// A recorded trace through the production scheduler, and through policies that know less or more.
namespace ty::sched {

/// Replays are told in hours.
inline double hours(Millis m) { return std::chrono::duration<double, std::ratio<3600>>(m).count(); }

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
  Fifo,      ///< strictly in order of arrival; GPUs are counted, nodes are not looked at
  FifoSkip,  ///< in order, but who does not fit is passed
  Oracle,    ///< knows every duration: shortest remaining time first, stopping others at will
  Fair,      ///< the scheduler of this program on nodes, fair share, nobody may be stopped
  Service,   ///< the same, least service first, every job preemptible
};
std::string_view to_string(ReplayPolicy policy);
/// One line for people.
std::string_view describe(ReplayPolicy policy);
Result<ReplayPolicy> replay_policy(std::string_view word);
const std::vector<ReplayPolicy>& replay_policies();

struct ReplaySite {
  int nodes = 60;
  int gpus_per_node = 8;
  Millis restart{0};  ///< what a job loses each time it goes on after having been stopped
  int estimate_every =
      0;  ///< every Nth of those who cannot start at once gets an estimate; 0: none
};

/// Whether every job of the trace could run on the empty site; the error names the first that could
/// not.
Result<void> fits_site(const Trace& trace, const ReplaySite& site);

struct ReplayResult {
  ReplayPolicy policy = ReplayPolicy::Fifo;
  std::vector<Millis> completion;  ///< from submission to end, per job of the trace
  std::vector<Millis> wait;        ///< the same less its duration
  std::vector<Millis> first_wait;  ///< from submission to its first start
  std::vector<double>
      estimate_error;  ///< of those told when they would start, who waited: |told - real| / real
  std::int64_t preemptions = 0;
  double utilisation = 0;  ///< of all GPUs, from the first submission to the last end
  double idle_while_wanted =
      0;  ///< part of all GPU time that was free although a job waited: fragmentation
  std::vector<std::pair<Time, int>> waiting;  ///< how many waited, sampled
};

/// Jobs larger than a node become gangs of equal tasks. The trace must fit the site.
ReplayResult replay(const Trace& trace, const ReplaySite& site, ReplayPolicy policy);

/// What a result comes down to.
struct ReplayFigures {
  struct Spread {
    double mean = 0, median = 0, p90 = 0, p99 = 0, most = 0;  ///< hours
  };
  Spread completion;
  Spread wait;
  double utilisation = 0;
  double idle_while_wanted = 0;
  std::int64_t preemptions = 0;
  /// Jain's index over tenants of how fast their jobs got on (run time ÷ completion): 1 when all
  /// got on equally fast.
  double fairness = 1;
  std::vector<double> tenant_wait;          ///< mean hours, per tenant of the trace
  std::optional<double> worst_behind_fifo;  ///< hours the unluckiest job waited longer than there
  std::int64_t a_day_behind_fifo = 0;       ///< jobs that waited 24 h longer than there
  /// The same for the wait until the first start: who is stopped later has begun.
  std::optional<double> worst_start_behind_fifo;
  std::int64_t starts_a_day_behind_fifo = 0;
  std::int64_t estimates = 0;
  std::optional<double> estimate_error;  ///< median
};
/// `fifo` is the same trace and site under ReplayPolicy::Fifo; null when it was not played.
ReplayFigures figures_of(const Trace& trace, const ReplayResult& result, const ReplayResult* fifo);

/// Completion times, jobs waiting over time and mean wait per tenant as one drawing (SVG) or as a
/// page with the figures below it (HTML, no scripts).
std::string replay_svg(const Trace& trace, const std::vector<ReplayResult>& results);
std::string replay_page(const Trace& trace,
                        const ReplaySite& site,
                        const std::vector<ReplayResult>& results);

}  // namespace ty::sched
