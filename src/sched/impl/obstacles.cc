#include "sched/impl/obstacles.h"

#include <algorithm>
#include <tuple>

#include "sched/impl/amounts.h"
#include "sched/impl/cycle.h"
#include "sched/impl/lookahead.h"
#include "sched/messages.h"

namespace ty::sched {
namespace {

using Verdict = Explanation::Verdict;

/// Which parts of `needs` exceed what is left of a bound, each as what `say_so` makes of it.
template <class SaySo>
void over_bound(std::vector<Statement>& out,
                const SaySo& say_so,
                const Bound& bound,
                const Amount& used,
                const Amount& needs) {
  const auto check = [&](std::optional<std::int64_t> limit,
                         std::int64_t in_use,
                         std::int64_t need,
                         Scarce what) {
    if (!limit || in_use + need <= *limit) return;
    out.push_back(say_so(bare(in_use, what), bare(*limit, what), bare(need, what), unit_of(what))
                      .with("resource", word_of(what)));
  };
  check(bound.gpus, used.gpus, needs.gpus, Scarce::Gpus);
  check(bound.cpu_milli, used.cpu_milli, needs.cpu_milli, Scarce::Cpu);
  check(bound.memory, used.memory, needs.memory, Scarce::Memory);
}

void quota(std::vector<Statement>& out, State& s, const Waiting& w) {
  const auto& r = w.request;
  const auto* account = s.ledger.account(r.workspace);
  const auto& name = account != nullptr ? account->name : r.workspace_name;
  if (account != nullptr) {
    if (s.ledger.spent(r.workspace)) out.push_back(say::no_balance({.workspace = name}));
    const auto of_workspace = [&](auto used, auto limit, auto needs, Message what) {
      return say::workspace_limit({.workspace = name,
                                   .used = used,
                                   .limit = limit,
                                   .what = std::move(what),
                                   .needs = needs});
    };
    over_bound(out, of_workspace, account->limit, s.ledger.used(r.workspace), w.shape->least);
    const auto of_user = [&](auto used, auto limit, auto needs, Message what) {
      return say::user_limit({.used = used,
                              .limit = limit,
                              .what = std::move(what),
                              .workspace = name,
                              .needs = needs});
    };
    over_bound(
        out, of_user, account->user_limit, s.ledger.used_by(r.workspace, r.owner), w.shape->least);
  }
  if (r.preemptible) return;
  const auto left = s.ledger.unguaranteed_left(r.workspace);
  const auto& least = w.shape->least;
  for (const auto what : {Scarce::Gpus, Scarce::Cpu, Scarce::Memory}) {
    const auto need = part(least, what), have = part(left, what);
    if (need <= have) continue;
    out.push_back(say::guaranteed(
                      {.needs = bare(need, what), .what = unit_of(what), .left = bare(have, what)})
                      .with("resource", word_of(what)));
  }
}

/// Nodes that take nothing new, one of which would make the difference.
std::optional<Statement> drained(State& s, const Shape& shape) {
  const auto& site = s.cluster.site();
  for (int n = 0; n < s.cluster.nodes(); ++n) {
    if (site.open[n] || !site.present[n]) continue;
    auto opened = std::make_shared<Site>(site);
    opened->open[n] = 1;
    Cluster with = s.cluster;
    with.set_site(opened);
    if (fits(with, shape, options_for(shape, *opened), {}))
      return say::draining({.node = site.names[n]});
  }
  return std::nullopt;
}

std::optional<Statement> port(State& s, const Shape& shape) {
  Shape without = shape;
  for (auto& g : without.groups) g.need.ports.clear();
  if (!fits(s.cluster, without, s.options(shape), {})) return std::nullopt;
  for (const auto& g : shape.groups) {
    for (int wanted : g.need.ports) {
      for (int slot : s.running.slots()) {
        const auto& job = s.running.at(slot);
        for (const auto& task : job.tasks) {
          if (std::ranges::binary_search(task.need().ports, wanted)) {
            return say::port_taken({.port = wanted,
                                    .node = s.cluster.site().names[task.allocation.node],
                                    .job = job.name.empty() ? job.id.str() : job.name})
                .with("job_id", job.id.str());
          }
        }
      }
    }
  }
  return std::nullopt;
}

std::optional<Statement> reserved(State& s, const Waiting& w, Time now) {
  Terms terms{nullptr, s.requester(w, now), Amount::boundless()};
  NodeReservations node_reservations;
  node_reservations.reset(s.cluster.nodes());
  add_advance_reservations(node_reservations, s, now);
  terms.node_reservations = &node_reservations;
  if (node_reservations.empty() || fits(s.cluster, *w.shape, s.options(*w.shape), terms))
    return std::nullopt;
  auto free = s.cluster;
  auto allocations = place(free, *w.shape, s.options(*w.shape), {});
  if (!allocations) return std::nullopt;
  for (const auto& allocation : *allocations) {
    for (const auto& reservation : node_reservations.on(allocation.node)) {
      if (!reservation.applies_to(terms.requester)) continue;
      const auto& r = *reservation.advance;
      const auto& node = s.cluster.site().names[allocation.node];
      if (r.from > now)
        return say::reserved_soon({.node = node, .from = r.from, .reservation = r.name});
      return say::reserved({.node = node, .until = r.to, .reservation = r.name});
    }
  }
  return std::nullopt;
}

/// Who ranks first among those that may start at all.
const Waiting* first_in_order(State& s, Time now) {
  Ranking ranking(s, now);
  const Waiting* first = nullptr;
  for (const auto& [key, row] : s.queue.rows()) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const auto& w = row[i];
      if (s.ledger.spent(w.request.workspace) || !w.shape->least.fits_in(s.allowance(w.request)))
        continue;
      if (first == nullptr || ranking.of(w) < ranking.of(*first)) first = &w;
      break;
    }
  }
  return first;
}

}  // namespace

std::string name_of(const Request& request) {
  return request.name.empty() ? request.id.job.str() : request.name;
}

NodeReservations node_reservations_ahead_of(State& s,
                                            const Waiting& w,
                                            Time now,
                                            std::vector<const Waiting*>* ahead) {
  NodeReservations node_reservations;
  node_reservations.reset(s.cluster.nodes());
  add_advance_reservations(node_reservations, s, now);
  Ranking ranking(s, now);
  const auto mine = ranking.of(w);
  for (const auto& [key, row] : s.queue.rows()) {
    int without = 0;
    for (std::size_t i = 0; i < row.size() && without <= s.policy.reserved_heads; ++i) {
      const auto& other = row[i];
      if (&other == &w || ranking.of(other) > mine) break;
      if (!other.planned_start) {
        ++without;  // kept back by a quota, or it came after the last decision
        continue;
      }
      reserve_nodes(node_reservations, s, other, *other.planned_start, now);
      if (ahead != nullptr) ahead->push_back(&other);
    }
  }
  return node_reservations;
}

Obstacles obstacles_of(State& s, const Waiting& w, Time now) {
  Obstacles found;
  auto& reasons = found.reasons;
  if (auto never = never_fits(s, w.request, w.shape); !never.empty()) {
    return {Verdict::Impossible, std::move(never)};
  }
  if (w.request.not_before && *w.request.not_before > now) {
    reasons.push_back(say::backoff({.until = *w.request.not_before}));
    found.verdict = Verdict::Held;
  }
  quota(reasons, s, w);
  if (auto leaving = s.pending_victims.find(w.request.id); leaving != s.pending_victims.end()) {
    reasons.push_back(say::making_room({.count = leaving->second}));
    return found;
  }
  if (!reasons.empty() && reasons.back().code == "no_balance") found.verdict = Verdict::Held;

  if (!fits(s.cluster, *w.shape, s.options(*w.shape), {})) {
    if (auto drain = drained(s, *w.shape)) {
      reasons.push_back(*std::move(drain));
      found.verdict = Verdict::Held;
    }
    if (auto taken = port(s, *w.shape)) {
      reasons.push_back(*std::move(taken));
    } else {
      for (auto& r : shortfall(s, *w.shape)) reasons.push_back(std::move(r));
    }
    return found;
  }
  if (auto kept = reserved(s, w, now)) {
    reasons.push_back(*std::move(kept));
    found.verdict = Verdict::Held;
    return found;
  }
  if (!reasons.empty()) return found;

  std::vector<const Waiting*> ahead;
  Terms terms;
  const auto node_reservations = node_reservations_ahead_of(s, w, now, &ahead);
  terms.node_reservations = &node_reservations;
  terms.requester = s.requester(w, now);
  if (!ahead.empty() && !fits(s.cluster, *w.shape, s.options(*w.shape), terms)) {
    Ranking ranking(s, now);
    const auto* first =
        *std::ranges::min_element(ahead, {}, [&](const Waiting* h) { return ranking.of(*h); });
    reasons.push_back(
        say::would_delay({.job = name_of(first->request), .at = first->planned_start->at})
            .with("job_id", first->request.id.job.str()));
    return found;
  }
  if (!s.policy.backfill) {
    const auto* first = first_in_order(s, now);
    if (first != nullptr && first != &w) {
      reasons.push_back(say::behind({.job = name_of(first->request)})
                            .with("job_id", first->request.id.job.str()));
      return found;
    }
  }
  found.verdict = Verdict::StartsNow;
  reasons.push_back(say::starts_now());
  return found;
}

}  // namespace ty::sched
