#include "sched/impl/estimate.h"

#include <algorithm>
#include <queue>

#include "sched/impl/cycle.h"
#include "sched/impl/whatif.h"

namespace ty::sched {
namespace {

/// So many of those ahead are played through; for more, the time is stretched in proportion.
constexpr std::size_t kSimulated = 200;
constexpr int kEvents = 2'000;
/// So many futures are played; the middle one is the likely one.
constexpr int kFutures = 3;
/// Nobody has ever seen such a job end: one hour, as good a guess as any.
constexpr Millis kUnknown = 1h;

class Simulation {
 public:
  Simulation(const EstimateInput& ahead, RequestId id, Time now, int future)
      : real_(ahead.state),
        left_out_(ahead.left_out),
        copy_(ahead.state),
        id_(std::move(id)),
        now_(now),
        future_(future) {
    for (int slot : copy_.running.slots()) {
      const auto& job = copy_.running.at(slot);
      if (job.tasks.empty()) continue;
      auto end = now + length(job, job.ran(now), std::max<Millis>(job.ran(now), kUnknown));
      if (job.limit) end = std::min(end, std::max(*job.limit, now));
      ends_.push({end, job.id, job.since});
    }
    ahead_ = copy_.queue.size() - 1;
  }

  std::optional<Time> start() {
    Time now = now_;
    for (int i = 0; i < kEvents; ++i) {
      for (int round = 0; round < 3 && decide(now); ++round) {
      }
      if (started_) return stretched(*started_);
      std::optional<Time> next;
      if (!ends_.empty()) next = ends_.top().at;
      if (auto wake = copy_.queue.next_wake(); wake && (!next || *wake < *next)) next = *wake;
      if (look_ && *look_ > now && (!next || *look_ < *next)) next = *look_;
      if (!next) return std::nullopt;
      now = std::max(now, *next);
      for (; !ends_.empty() && ends_.top().at <= now; ends_.pop()) {
        const auto* job = copy_.running.find(ends_.top().job);
        if (job != nullptr && job->since == ends_.top().since)
          copy_.remove_job(ends_.top().job, now);
      }
    }
    return std::nullopt;
  }

 private:
  struct End {
    Time at{};
    JobId job;
    Time since{};
    bool operator>(const End& o) const { return std::tie(at, job) > std::tie(o.at, o.job); }
  };

  /// Each job draws its length from those of its like: some are short, a few very long, and these
  /// few are what others wait for. The draw depends on the job and the future only, so the same
  /// question has the same answer.
  Millis length(const RunningJob& job, Millis ran, Millis otherwise) const {
    const auto drawn = std::hash<std::string>{}(job.id.str() + static_cast<char>('a' + future_));
    const double quantile = static_cast<double>(drawn >> 11) / static_cast<double>(1ULL << 53);
    auto likely = real_.durations.expect(job.kind(), ran, quantile);
    return likely ? std::max<Millis>(*likely - ran, 1s) : otherwise;
  }

  /// True when somebody was stopped and another look is due.
  bool decide(Time now) {
    const auto plan = Cycle(copy_, now).run();
    look_ = plan.next_look;
    for (const auto& s : plan.starts) {
      if (s.id == id_) started_ = now;
      const auto& job = *copy_.running.find(s.id.job);
      auto end = now + length(job, job.attained, kUnknown);
      if (job.limit) end = std::min(end, *job.limit);
      ends_.push({end, job.id, job.since});
    }
    for (const auto& p : plan.preempt)
      copy_.remove_job(p.job, now);  // their coming back delays others, not this one
    return !plan.preempt.empty();
  }

  Time stretched(Time at) const {
    if (left_out_ == 0 || ahead_ == 0) return at;
    const double factor = static_cast<double>(left_out_ + ahead_) / static_cast<double>(ahead_);
    return now_ +
           Millis(static_cast<std::int64_t>(static_cast<double>((at - now_).count()) * factor));
  }

  const State& real_;
  std::size_t left_out_ = 0, ahead_ = 0;
  State copy_;
  RequestId id_;
  Time now_;
  int future_;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
  std::optional<Time> look_, started_;
};

}  // namespace

EstimateInput estimate_input(const State& state, const Waiting& waiting, Time now) {
  std::size_t left_out = 0;
  State some = ahead_of(state, waiting, now, kSimulated, &left_out);
  return {std::move(some), left_out};
}

std::optional<Estimate> estimate_start(const EstimateInput& ahead, const RequestId& id, Time now) {
  std::vector<Time> starts;
  for (int future = 0; future < kFutures; ++future) {
    const auto start = Simulation(ahead, id, now, future).start();
    if (!start && future == 0) return std::nullopt;
    if (start && *start == now) return Estimate{now, now, now};
    if (start) starts.push_back(*start);
  }
  std::ranges::sort(starts);
  return Estimate{starts.front(), starts[starts.size() / 2], starts.back()};
}

}  // namespace ty::sched
