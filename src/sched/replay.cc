#include "sched/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <queue>

#include "sched/impl/replay_meter.h"
#include "sched/scheduler.h"

namespace ty::sched {
namespace {

constexpr std::string_view kWords[] = {"fifo", "fifo-skip", "oracle", "production"};

/// The trace's jobs as requests of the production scheduler, and what became of them so far.
class Production {
 public:
  Production(const Trace& trace, const ReplaySite& site, const Policy& policy)
      : trace_(trace),
        site_(site),
        scheduler_(policy),
        meter_(trace, site.nodes * site.gpus_per_node, result_) {
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
      for (; next < jobs_.size() && trace_.jobs[next].submitted <= now; ++next)
        submit(next, trace_.jobs[next].submitted);
      decide(now);
    }
    meter_.finish();
    result_.policy = ReplayPolicy::Production;
    return std::move(result_);
  }

 private:
  struct Job {
    JobId id;
    Millis attained{0};
    Time since{};
    int starts = 0;
    bool runs = false;
  };
  struct End {
    Time at{};
    std::size_t job = 0;
    int start = 0;  ///< which start of the job this is the end of
    bool operator>(const End& o) const { return std::tie(at, job) > std::tie(o.at, o.job); }
  };

  void submit(std::size_t i, Time) {
    const auto& traced = trace_.jobs[i];
    Request r;
    r.id.job = jobs_[i].id;
    r.workspace = {traced.tenant + 1};
    r.owner = {1};
    r.preemptible = true;
    r.queued_at = traced.submitted;
    r.attained = jobs_[i].attained;
    Group g;
    const int each = traced.gpus <= site_.gpus_per_node
                         ? traced.gpus
                         : std::gcd(traced.gpus, site_.gpus_per_node);
    g.each.gpus = each;
    g.each.cpu_milli = 1;
    g.each.memory = 1;
    const int tasks = each > 0 ? traced.gpus / each : 1;
    for (int t = 0; t < tasks; ++t) g.tasks.push_back({0, t});
    g.min_tasks = r.min_tasks = tasks;
    r.groups.push_back(std::move(g));
    scheduler_.enqueue(std::move(r));
    ++waiting_;
  }

  void end(const End& e, Time now) {
    auto& job = jobs_[e.job];
    if (!job.runs || job.starts != e.start) return;  // it was stopped before
    stop(e.job, now);
    scheduler_.release_job(job.id, now);
    meter_.ended(e.job, trace_.jobs[e.job], now);
  }

  void stop(std::size_t i, Time now) {
    jobs_[i].runs = false;
    jobs_[i].attained += now - jobs_[i].since;
    busy_ -= trace_.jobs[i].gpus;
    --running_;
  }

  void decide(Time now) {
    // Those stopped give their pieces back at once, and a second look starts whom they made room
    // for.
    for (bool again = true; again;) {
      const auto plan = scheduler_.plan(now);
      for (const auto& s : plan.starts) {
        const auto i = static_cast<std::size_t>(std::stoul(s.id.job.str().substr(1)));
        auto& job = jobs_[i];
        job.runs = true;
        job.since = now;
        ++job.starts;
        ++running_;
        --waiting_;
        busy_ += trace_.jobs[i].gpus;
        events_.push({now + (trace_.jobs[i].duration - job.attained), i, job.starts});
      }
      for (const auto& p : plan.preempt) {
        const auto i = static_cast<std::size_t>(std::stoul(p.job.str().substr(1)));
        stop(i, now);
        scheduler_.release_job(p.job, now, Scheduler::Ended::Interrupted);
        submit(i, now);
        ++result_.preemptions;
      }
      again = !plan.preempt.empty();
      look_ = plan.next_look;
      if (look_ && *look_ <= now) look_ = now + Millis(1);
    }
  }

  const Trace& trace_;
  ReplaySite site_;
  Scheduler scheduler_;
  ReplayResult result_;
  ReplayMeter meter_;
  std::vector<Job> jobs_;
  std::priority_queue<End, std::vector<End>, std::greater<>> events_;
  std::optional<Time> look_;
  std::int64_t busy_ = 0;
  std::size_t running_ = 0, waiting_ = 0;
};

}  // namespace

std::string_view to_string(ReplayPolicy policy) { return kWords[static_cast<std::size_t>(policy)]; }

Result<ReplayPolicy> replay_policy(std::string_view word) {
  const auto* at = std::ranges::find(kWords, word);
  if (at != std::end(kWords)) return static_cast<ReplayPolicy>(at - kWords);
  return fail(
      Errc::Invalid,
      fmt::format("\"{}\" is no policy; write fifo, fifo-skip, oracle or production", word));
}

Policy replay_production_policy() {
  Policy policy;
  policy.order = Order::Service;
  policy.quantum = 60s;
  policy.moves = false;
  policy.starved_share = 0;
  return policy;
}

ReplayResult replay_production(const Trace& trace, const ReplaySite& site, const Policy& policy) {
  return Production(trace, site, policy).run();
}

ReplayResult replay(const Trace& trace,
                    const ReplaySite& site,
                    ReplayPolicy policy,
                    const Policy& production) {
  if (policy == ReplayPolicy::Production) return replay_production(trace, site, production);
  return replay_counting(trace, std::int64_t{site.nodes} * site.gpus_per_node, policy);
}

}  // namespace ty::sched
