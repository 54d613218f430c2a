#include "sched/replay.h"

#include <fmt/format.h>

#include <algorithm>

#include "sched/impl/replay_meter.h"
#include "sched/messages.h"

namespace ty::sched {
namespace {

struct Known {
  ReplayPolicy policy;
  std::string_view word;
  std::string_view about;
};

constexpr Known kPolicies[] = {
    {ReplayPolicy::Fifo, "fifo", "strictly first come, first served, counting GPUs only"},
    {ReplayPolicy::FifoSkip, "fifo-skip", "first come, first served, passing who does not fit"},
    {ReplayPolicy::Oracle,
     "oracle",
     "shortest remaining time first, knowing every duration, counting GPUs only"},
    {ReplayPolicy::Fair, "fair", "Trainyard on nodes: fair share with backfill, nobody is stopped"},
    {ReplayPolicy::Service,
     "service",
     "Trainyard on nodes: least service first, every job preemptible"},
};

}  // namespace

std::string_view to_string(ReplayPolicy policy) {
  return std::ranges::find(kPolicies, policy, &Known::policy)->word;
}
std::string_view describe(ReplayPolicy policy) {
  return std::ranges::find(kPolicies, policy, &Known::policy)->about;
}

const std::vector<ReplayPolicy>& replay_policies() {
  static const auto all = [] {
    std::vector<ReplayPolicy> policies;
    for (const auto& known : kPolicies) policies.push_back(known.policy);
    return policies;
  }();
  return all;
}

Result<ReplayPolicy> replay_policy(std::string_view word) {
  const auto* at = std::ranges::find(kPolicies, word, &Known::word);
  if (at != std::end(kPolicies)) return at->policy;
  Value::Texts choices;
  for (const auto& known : kPolicies) choices.emplace_back(known.word);
  return fail(Errc::Invalid, say::not_a_policy({.word = word, .choices = std::move(choices)}));
}

Result<void> fits_site(const Trace& trace, const ReplaySite& site) {
  const auto all = std::int64_t{site.nodes} * site.gpus_per_node;
  for (std::size_t i = 0; i < trace.jobs.size(); ++i) {
    const auto gpus = trace.jobs[i].gpus;
    const auto each = gpus_per_task(gpus, site.gpus_per_node);
    const auto room =
        each == 0 ? all : std::int64_t{site.nodes} * (site.gpus_per_node / each) * each;
    if (gpus <= room) continue;
    return fail(Errc::Invalid,
                say::trace_job_too_big({.at = trace.jobs[i].submitted,
                                        .gpus = gpus,
                                        .nodes = site.nodes,
                                        .each = site.gpus_per_node,
                                        .all = all}));
  }
  return {};
}

ReplayResult replay(const Trace& trace, const ReplaySite& site, ReplayPolicy policy) {
  const bool ours = policy == ReplayPolicy::Fair || policy == ReplayPolicy::Service;
  return ours ? replay_production(trace, site, policy) : replay_counting(trace, site, policy);
}

}  // namespace ty::sched
