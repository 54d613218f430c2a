#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <random>
#include <string>
#include <vector>

#include "sched/scheduler.h"

/// What one decision costs with a full cluster and N jobs waiting: a job ends, the scheduler is
/// told and asked. Prints one line per N: waiting, median and 99th percentile in microseconds.
namespace {

using namespace ty;
using namespace ty::sched;

/// Processor time of this thread: what others do on the machine does not count.
double microseconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e6 + static_cast<double>(t.tv_nsec) / 1e3;
}

class Load {
 public:
  Load(int nodes, int waiting) : random_(7) {
    std::vector<Node> all;
    for (int n = 0; n < nodes; ++n) {
      Node node;
      node.name = fmt::format("node-{}", n);
      node.cpu_milli = 96'000;
      node.memory = std::int64_t{768} << 30;
      for (int g = 0; g < 8; ++g) node.gpus.push_back({n % 4 == 0 ? "V100" : "A100", g / 4, true});
      all.push_back(std::move(node));
    }
    scheduler_.set_nodes(std::move(all));
    // Until as many wait as are named, and nothing more fits: small jobs fill the gaps of large
    // ones.
    while (static_cast<int>(scheduler_.waiting()) < waiting) {
      while (static_cast<int>(scheduler_.waiting()) < waiting) submit();
      decide();
    }
  }

  /// Microseconds of every decision.
  std::vector<double> run(int decisions) {
    std::vector<double> costs;
    for (int i = 0; i < decisions; ++i) {
      now_ += 30s;
      const auto at = pick(0, static_cast<int>(running_.size()) - 1);
      const auto job = running_[at];
      running_[at] = running_.back();
      running_.pop_back();
      const auto begin = microseconds();
      scheduler_.release_job(job, now_);
      decide();
      submit();
      decide();
      costs.push_back(microseconds() - begin);
    }
    return costs;
  }

 private:
  int pick(int low, int high) { return std::uniform_int_distribution(low, high)(random_); }

  void submit() {
    static constexpr int kGpus[] = {0, 1, 1, 1, 1, 2, 4, 8, 8};
    Request r;
    r.id.job = JobId(fmt::format("j{:031x}", ++jobs_));
    r.name = fmt::format("train-{}", jobs_ % 500);
    r.workspace = {pick(1, 40)};
    r.owner = {pick(1, 400)};
    r.priority = pick(0, 9) == 0 ? 100 : 10;
    r.preemptible = pick(0, 4) == 0;
    r.queued_at = now_;
    Group g;
    g.each.gpus = kGpus[pick(0, 8)];
    if (pick(0, 3) == 0) g.each.gpu_types = {"A100"};
    g.each.cpu_milli = g.each.gpus == 0 ? 16'000 : 1000 * pick(1, 3) * g.each.gpus;
    g.each.memory = (std::int64_t{8} << 30) * std::max<std::int64_t>(g.each.gpus, 1);
    const int tasks = g.each.gpus == 8 ? pick(1, 4) : 1;
    for (int t = 0; t < tasks; ++t) g.tasks.push_back({0, t});
    g.min_tasks = r.min_tasks = tasks;
    if (pick(0, 1) == 0) r.time_left = Seconds(3600 * pick(1, 24));
    r.groups.push_back(std::move(g));
    scheduler_.enqueue(std::move(r));
  }

  void decide() {
    const auto plan = scheduler_.plan(now_);
    for (const auto& s : plan.starts) running_.push_back(s.id.job);
    for (const auto& p : plan.preempt) {
      std::erase(running_, p.job);
      scheduler_.release_job(p.job, now_, Scheduler::Ended::Interrupted);
    }
  }

  Scheduler scheduler_;
  std::mt19937 random_;
  Time now_ = from_millis(1'750'000'000'000);
  std::vector<JobId> running_;
  std::int64_t jobs_ = 0;
};

}  // namespace

/// `decisions [NODES WAITING [DECISIONS]]`: one case, or all. A cluster that was just filled at one
/// stroke is like no other: first everything that runs is replaced once, some 5,000 jobs.
int main(int argc, char** argv) {
  std::vector<std::pair<int, int>> cases;
  for (const int nodes : {100, 1000}) {
    for (const int waiting : {1'000, 10'000, 100'000}) cases.emplace_back(nodes, waiting);
  }
  if (argc >= 3) cases = {{std::stoi(argv[1]), std::stoi(argv[2])}};
  const int decisions = argc >= 4 ? std::stoi(argv[3]) : 20'000;
  for (const auto& [nodes, waiting] : cases) {
    Load load(nodes, waiting);
    load.run(5'000);
    auto costs = load.run(decisions);
    std::ranges::sort(costs);
    fmt::print("nodes {:5} waiting {:7} median {:8.1f} us  p99 {:8.1f} us\n",
               nodes,
               waiting,
               costs[costs.size() / 2],
               costs[costs.size() * 99 / 100]);
    std::fflush(stdout);
  }
  return 0;
}
