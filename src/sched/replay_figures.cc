#include <algorithm>
#include <cmath>

#include "sched/replay.h"

namespace ty::sched {
namespace {

ReplayFigures::Spread spread_of(std::vector<Millis> values) {
  if (values.empty()) return {};
  std::ranges::sort(values);
  double sum = 0;
  for (auto v : values) sum += hours(v);
  const auto at = [&](double part) {
    return hours(values[static_cast<std::size_t>(part * static_cast<double>(values.size() - 1))]);
  };
  return {sum / static_cast<double>(values.size()), at(0.5), at(0.9), at(0.99), at(1)};
}

/// (Σx)² / n·Σx²: 1 when all are equal, 1/n when one has everything.
double jain(const std::vector<double>& values) {
  double sum = 0, squares = 0;
  for (auto v : values) sum += v, squares += v * v;
  return squares > 0 ? sum * sum / (static_cast<double>(values.size()) * squares) : 1;
}

}  // namespace

ReplayFigures figures_of(const Trace& trace, const ReplayResult& result, const ReplayResult* fifo) {
  ReplayFigures f;
  f.completion = spread_of(result.completion);
  f.wait = spread_of(result.wait);
  f.utilisation = result.utilisation;
  f.idle_while_wanted = result.idle_while_wanted;
  f.preemptions = result.preemptions;

  struct Tenant {
    double jobs = 0, run = 0, completion = 0;
  };
  std::vector<Tenant> tenants(trace.tenants.size());
  for (std::size_t i = 0; i < trace.jobs.size(); ++i) {
    auto& t = tenants[trace.jobs[i].tenant];
    t.jobs += 1;
    t.run += hours(trace.jobs[i].duration);
    t.completion += hours(result.completion[i]);
  }
  std::vector<double> pace;
  for (const auto& t : tenants) {
    f.tenant_wait.push_back(t.jobs > 0 ? (t.completion - t.run) / t.jobs : 0);
    if (t.completion > 0) pace.push_back(t.run / t.completion);
  }
  f.fairness = jain(pace);

  if (fifo != nullptr) {
    const auto compare = [](const std::vector<Millis>& ours,
                            const std::vector<Millis>& theirs,
                            std::int64_t& a_day) {
      Millis worst{0};
      for (std::size_t i = 0; i < ours.size(); ++i) {
        const auto behind = ours[i] - theirs[i];
        worst = std::max(worst, behind);
        if (behind > 24h) ++a_day;
      }
      return hours(worst);
    };
    f.worst_behind_fifo = compare(result.wait, fifo->wait, f.a_day_behind_fifo);
    f.worst_start_behind_fifo =
        compare(result.first_wait, fifo->first_wait, f.starts_a_day_behind_fifo);
  }

  f.estimates = static_cast<std::int64_t>(result.estimate_error.size());
  if (f.estimates > 0) {
    auto errors = result.estimate_error;
    const auto middle = errors.begin() + static_cast<std::ptrdiff_t>(errors.size() / 2);
    std::ranges::nth_element(errors, middle);
    f.estimate_error = *middle;
  }
  return f;
}

}  // namespace ty::sched
