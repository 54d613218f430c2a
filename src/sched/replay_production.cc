#include <fmt/format.h>

#include <numeric>
#include <queue>

#include "sched/impl/replay_meter.h"
#include "sched/scheduler.h"

/// The production scheduler over a trace. It is told what a server would tell it, and no duration.
namespace ty::sched {
namespace {

Policy policy_of(ReplayPolicy which) {
  return which == ReplayPolicy::Service ? service_policy() : Policy{};
}

class Production {
 public:
  Production(const Trace& trace, const ReplaySite& site, ReplayPolicy policy)
      : trace_(trace),
        site_(site),
        preemptible_(policy == ReplayPolicy::Service),
        scheduler_(policy_of(policy)),
        meter_(trace, std::int64_t{site.nodes} * site.gpus_per_node, result_) {
    std::vector<Node> nodes(site.nodes);
    for (int n = 0; n < site.nodes; ++n) {
      nodes[n].name = fmt::format("n{}", n);
      nodes[n].cpu_milli = 1'000'000;
      nodes[n].memory = std::int64_t{1} << 50;
      nodes[n].gpus.assign(site.gpus_per_node, Gpu{"GPU", 0, true});
    }
    scheduler_.set_nodes(std::move(nodes));
    jobs_.resize(trace.jobs.size());
    for (std::size_t i = 0; i < jobs_.size(); ++i) jobs_[i].id = JobId(fmt::format("j{}", i));
    result_.policy = policy;
  }

  ReplayResult run() {
    std::size_t next = 0;
    while (next < jobs_.size() || running_ > 0 || waiting_ > 0) {
      Time now = next < jobs_.size() ? trace_.jobs[next].submitted : Time::max();
      if (!events_.empty()) now = std::min(now, events_.top().at);
      if (look_) now = std::min(now, *look_);
      TY_CHECK(now != Time::max(), "a job that waits has something to wait for");
      meter_.until(now, busy_, waiting_);
      for (; !events_.empty() && events_.top().at <= now; events_.pop()) end(events_.top(), now);
      const auto first = next;
      for (; next < jobs_.size() && trace_.jobs[next].submitted <= now; ++next) submit(next);
      decide(now);
      for (auto i = first; i < next; ++i) ask(i, now);
    }
    meter_.finish();
    return std::move(result_);
  }

 private:
  struct Job {
    JobId id;
    Millis attained{0};  ///< of its duration
    Millis served{0};    ///< running time, with what was lost in restarts
    Time since{};
    int starts = 0;
    bool runs = false;
    std::optional<Time> told;  ///< when it would start, said at its submission
  };
  struct End {
    Time at{};
    std::size_t job = 0;
    int start = 0;  ///< which start of the job this is the end of
    bool operator>(const End& o) const { return std::tie(at, job) > std::tie(o.at, o.job); }
  };

  static std::size_t index_of(const JobId& id) { return std::stoul(id.str().substr(1)); }
  /// What the job loses before it gets on.
  Millis lost(const Job& job) const { return job.starts > 1 ? site_.restart : Millis(0); }

  void submit(std::size_t i) {
    const auto& traced = trace_.jobs[i];
    Request r;
    r.id.job = jobs_[i].id;
    r.workspace = {traced.tenant + 1};
    r.owner = {1};
    r.preemptible = preemptible_;
    r.queued_at = traced.submitted;
    r.attained = jobs_[i].served;
    Group g;
    g.each.gpus = gpus_per_task(traced.gpus, site_.gpus_per_node);
    g.each.cpu_milli = 1;
    g.each.memory = 1;
    const int tasks = g.each.gpus > 0 ? static_cast<int>(traced.gpus / g.each.gpus) : 1;
    for (int t = 0; t < tasks; ++t) g.tasks.push_back({0, t});
    g.min_tasks = r.min_tasks = tasks;
    r.groups.push_back(std::move(g));
    scheduler_.enqueue(std::move(r));
    ++waiting_;
  }

  void ask(std::size_t i, Time now) {
    if (site_.estimate_every == 0 || jobs_[i].starts > 0) return;
    if (++blocked_ % site_.estimate_every != 0) return;
    const auto e = scheduler_.explain({jobs_[i].id, 0}, now, Scheduler::Detail::Estimate);
    if (e.estimate) jobs_[i].told = e.estimate->likely;
  }

  void end(const End& e, Time now) {
    auto& job = jobs_[e.job];
    if (!job.runs || job.starts != e.start) return;  // it was stopped before
    stop(e.job, now);
    scheduler_.release_job(job.id, now);
    meter_.ended(e.job, trace_.jobs[e.job], now);
  }

  void stop(std::size_t i, Time now) {
    auto& job = jobs_[i];
    job.runs = false;
    job.served += now - job.since;
    job.attained += std::max(Millis(0), now - job.since - lost(job));
    busy_ -= trace_.jobs[i].gpus;
    --running_;
  }

  void start(std::size_t i, Time now) {
    auto& job = jobs_[i];
    const auto& traced = trace_.jobs[i];
    job.runs = true;
    job.since = now;
    if (++job.starts == 1 && job.told) {
      const auto real = std::chrono::duration<double>(now - traced.submitted).count();
      const auto off = std::chrono::duration<double>(*job.told - now).count();
      result_.estimate_error.push_back(std::abs(off) / std::max(real, 1.0));
    }
    meter_.started(i, traced, now);
    ++running_;
    --waiting_;
    busy_ += traced.gpus;
    events_.push({now + lost(job) + (traced.duration - job.attained), i, job.starts});
  }

  void decide(Time now) {
    // Those stopped give their resources back at once, and a second look starts whom they made room
    // for.
    for (bool again = true; again;) {
      const auto plan = scheduler_.plan(now);
      for (const auto& s : plan.starts) start(index_of(s.id.job), now);
      for (const auto& p : plan.preempt) {
        const auto i = index_of(p.job);
        stop(i, now);
        scheduler_.release_job(p.job, now, Scheduler::Ended::Interrupted);
        submit(i);
        ++result_.preemptions;
      }
      again = !plan.preempt.empty();
      look_ = plan.next_look;
      if (look_ && *look_ <= now) look_ = now + Millis(1);
    }
  }

  const Trace& trace_;
  ReplaySite site_;
  bool preemptible_;
  Scheduler scheduler_;
  ReplayResult result_;
  ReplayMeter meter_;
  std::vector<Job> jobs_;
  std::priority_queue<End, std::vector<End>, std::greater<>> events_;
  std::optional<Time> look_;
  std::int64_t blocked_ = 0;  ///< jobs that could not start at once
  std::int64_t busy_ = 0;
  std::size_t running_ = 0, waiting_ = 0;
};

}  // namespace

int gpus_per_task(int gpus, int gpus_per_node) {
  return gpus <= gpus_per_node ? gpus : std::gcd(gpus, gpus_per_node);
}

ReplayResult replay_production(const Trace& trace, const ReplaySite& site, ReplayPolicy policy) {
  return Production(trace, site, policy).run();
}

}  // namespace ty::sched
