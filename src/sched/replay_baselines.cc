#include <algorithm>
#include <list>
#include <queue>
#include <set>

#include "sched/impl/replay_meter.h"

/// The policies ours is measured against. They only count GPUs, so no node is ever fragmented for
/// them: what is better than they are is better than they could be.
namespace ty::sched {
namespace {

using Ending = std::pair<Time, std::size_t>;
using ExpectedEnds = std::priority_queue<Ending, std::vector<Ending>, std::greater<>>;

/// First come, first served; `skip`: who does not fit is passed.
ReplayResult first_come(const Trace& trace, std::int64_t gpus, bool skip) {
  ReplayResult result;
  ReplayMeter meter(trace, gpus, result);
  ExpectedEnds expected_ends;
  std::list<std::size_t> waiting;
  std::size_t next = 0;
  std::int64_t free = gpus;
  while (next < trace.jobs.size() || !expected_ends.empty()) {
    Time now = next < trace.jobs.size() ? trace.jobs[next].submitted : Time::max();
    if (!expected_ends.empty()) now = std::min(now, expected_ends.top().first);
    meter.until(now, gpus - free, waiting.size());
    bool freed = false;
    for (; !expected_ends.empty() && expected_ends.top().first <= now; expected_ends.pop()) {
      const auto job = expected_ends.top().second;
      free += trace.jobs[job].gpus;
      freed = true;
      meter.ended(job, trace.jobs[job], now);
    }
    auto at = freed ? waiting.begin()
                    : waiting.end();  // without a free GPU more, only newcomers may start
    for (; next < trace.jobs.size() && trace.jobs[next].submitted <= now; ++next) {
      const auto newcomer = waiting.insert(waiting.end(), next);
      if (at == waiting.end()) at = newcomer;
    }
    if (!skip && !freed && at != waiting.begin()) continue;
    while (at != waiting.end() && free > 0) {
      const auto& job = trace.jobs[*at];
      if (job.gpus <= free) {
        free -= job.gpus;
        expected_ends.emplace(now + job.duration, *at);
        meter.started(*at, job, now);
        at = waiting.erase(at);
      } else if (skip) {
        ++at;
      } else {
        break;
      }
    }
  }
  meter.finish();
  return result;
}

/// Whoever has the least left runs, whoever has more makes room.
ReplayResult shortest_remaining(const Trace& trace, std::int64_t gpus) {
  ReplayResult result;
  ReplayMeter meter(trace, gpus, result);
  std::set<Ending> running;                          // by when they would end
  std::set<std::pair<Millis, std::size_t>> waiting;  // by what is left
  std::size_t next = 0;
  std::int64_t free = gpus;
  std::vector<Ending> keep, out;
  std::vector<std::pair<Millis, std::size_t>> in;
  while (next < trace.jobs.size() || !running.empty()) {
    Time now = next < trace.jobs.size() ? trace.jobs[next].submitted : Time::max();
    if (!running.empty()) now = std::min(now, running.begin()->first);
    meter.until(now, gpus - free, waiting.size());
    for (; !running.empty() && running.begin()->first <= now; running.erase(running.begin())) {
      const auto job = running.begin()->second;
      free += trace.jobs[job].gpus;
      meter.ended(job, trace.jobs[job], now);
    }
    for (; next < trace.jobs.size() && trace.jobs[next].submitted <= now; ++next) {
      waiting.emplace(trace.jobs[next].duration, next);
    }
    // Both in order of what is left, merged, until the GPUs are given out.
    std::int64_t left = gpus;
    auto r = running.begin();
    auto w = waiting.begin();
    out.clear();
    in.clear();
    while (left > 0 && (r != running.end() || w != waiting.end())) {
      if (w == waiting.end() || (r != running.end() && r->first - now <= w->first)) {
        const auto need = trace.jobs[r->second].gpus;
        if (need <= left) {
          left -= need;
        } else {
          out.push_back(*r);
        }
        ++r;
      } else {
        const auto need = trace.jobs[w->second].gpus;
        if (need <= left) {
          left -= need;
          in.push_back(*w);
        }
        ++w;
      }
    }
    for (; r != running.end(); ++r) out.push_back(*r);
    for (const auto& [end, job] : out) {
      running.erase({end, job});
      waiting.emplace(end - now, job);
      ++result.preemptions;
    }
    for (const auto& [remaining, job] : in) {
      waiting.erase({remaining, job});
      running.emplace(now + remaining, job);
      meter.started(job, trace.jobs[job], now);
    }
    free = left;
  }
  meter.finish();
  return result;
}

}  // namespace

ReplayResult replay_counting(const Trace& trace, const ReplaySite& site, ReplayPolicy policy) {
  const auto gpus = std::int64_t{site.nodes} * site.gpus_per_node;
  auto result = policy == ReplayPolicy::Oracle
                    ? shortest_remaining(trace, gpus)
                    : first_come(trace, gpus, policy == ReplayPolicy::FifoSkip);
  result.policy = policy;
  return result;
}

}  // namespace ty::sched
