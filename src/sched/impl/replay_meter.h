#pragma once
#include "sched/replay.h"

namespace ty::sched {

/// Watches a replay: GPU time used, idle although wanted, and how many wait.
class ReplayMeter {
 public:
  ReplayMeter(const Trace& trace, std::int64_t gpus, ReplayResult& result)
      : gpus_(gpus),
        begin_(trace.jobs.front().submitted),
        last_(begin_),
        sample_(begin_),
        result_(result) {
    result_.completion.resize(trace.jobs.size());
    result_.wait.resize(trace.jobs.size());
    result_.first_wait.assign(trace.jobs.size(), kNotYet);
  }

  /// Since the last call `busy` GPUs were in use and `waiting` jobs waited.
  void until(Time now, std::int64_t busy, std::size_t waiting) {
    const auto span = static_cast<double>((now - last_).count());
    busy_ += span * static_cast<double>(busy);
    if (waiting > 0) idle_ += span * static_cast<double>(gpus_ - busy);
    last_ = now;
    if (now < sample_) return;
    result_.waiting.emplace_back(now, static_cast<int>(waiting));
    sample_ = now + 1h;
  }

  /// Only the first of its starts counts.
  void started(std::size_t job, const TraceJob& traced, Time now) {
    auto& wait = result_.first_wait[job];
    if (wait == kNotYet) wait = now - traced.submitted;
  }

  void ended(std::size_t job, const TraceJob& traced, Time now) {
    result_.completion[job] = now - traced.submitted;
    result_.wait[job] = now - traced.submitted - traced.duration;
  }

  void finish() {
    const double all = static_cast<double>(gpus_) * static_cast<double>((last_ - begin_).count());
    result_.utilisation = all > 0 ? busy_ / all : 0;
    result_.idle_while_wanted = all > 0 ? idle_ / all : 0;
  }

 private:
  static constexpr Millis kNotYet{-1};
  std::int64_t gpus_;
  Time begin_, last_, sample_;
  double busy_ = 0, idle_ = 0;
  ReplayResult& result_;
};

/// How many GPUs each task of a job has: jobs larger than a node become gangs of equal tasks.
int gpus_per_task(int gpus, int gpus_per_node);

ReplayResult replay_counting(const Trace& trace, const ReplaySite& site, ReplayPolicy policy);
ReplayResult replay_production(const Trace& trace, const ReplaySite& site, ReplayPolicy policy);

}  // namespace ty::sched
