#include <gtest/gtest.h>

#include <map>
#include <queue>

#include "sched/testing/situation.h"

/// What must hold whatever happens: random sites, random jobs that come, run, fail and end, nodes
/// that drain and come back, and after every decision the sums done again by hand.
namespace ty::sched {
namespace {

using namespace testing;

/// Plays a random life and checks every plan.
class Life {
 public:
  Life(unsigned seed, Policy policy) : random_(seed), scheduler_(policy), policy_(policy) {
    const int nodes = pick(1, 6);
    for (int n = 0; n < nodes; ++n) {
      Node node;
      node.name = fmt::format("n{}", n);
      node.cpu_milli = 16'000;
      node.memory = std::int64_t{64} << 30;
      for (int g = 0; g < 8; ++g) node.gpus.push_back({n % 3 == 2 ? "V100" : "A100", g / 4, true});
      if (pick(0, 4) == 0) node.gpus[pick(0, 7)].healthy = false;
      s_.nodes.push_back(std::move(node));
    }
    for (int w = 1; w <= 3; ++w) {
      Account a;
      a.workspace = {w};
      a.name = fmt::format("w{}", w);
      if (pick(0, 2) == 0) a.limit.gpus = pick(4, 12);
      if (pick(0, 3) == 0) a.user_limit.gpus = pick(2, 8);
      if (pick(0, 2) == 0) a.guarantee.gpus = pick(1, 2) * nodes;
      s_.accounts.push_back(std::move(a));
    }
    scheduler_.set_nodes(s_.nodes);
    scheduler_.set_accounts(s_.accounts);
  }

  /// Every plan in words, so that two lives can be compared.
  const std::string& run(int steps) {
    for (int i = 0; i < steps; ++i) {
      now_ += Seconds(pick(1, 1200));
      happen();
      int rounds = 0;
      while (decide()) {
        if (++rounds > 50) {
          ADD_FAILURE() << "stops and starts go round in circles: "
                        << said_.substr(said_.size() - 400);
          break;
        }
      }
      if (::testing::Test::HasFatalFailure() || ::testing::Test::HasNonfatalFailure()) break;
    }
    return said_;
  }

 private:
  int pick(int low, int high) { return std::uniform_int_distribution(low, high)(random_); }

  void happen() {
    const int what = pick(0, 19);
    if (what < 9) {
      submit();
    } else if (what < 16 && !s_.running.empty()) {
      end(pick(0, static_cast<int>(s_.running.size()) - 1));
    } else if (what == 16) {
      auto& node = s_.nodes[pick(0, static_cast<int>(s_.nodes.size()) - 1)];
      node.draining = !node.draining;
      scheduler_.set_nodes(s_.nodes);
    } else if (what == 17 && !s_.waiting.empty()) {
      const auto at = pick(0, static_cast<int>(s_.waiting.size()) - 1);
      scheduler_.withdraw_job(s_.waiting[at].id.job);
      s_.waiting.erase(s_.waiting.begin() + at);
    } else if (what == 18 && s_.waiting.size() > 1) {
      const auto moved = scheduler_.move_before(s_.waiting.back().id, s_.waiting.front().id);
      EXPECT_TRUE(moved.has_value());
    } else if (what == 19) {
      auto& account = s_.accounts[pick(0, 2)];
      account.balance = account.balance && *account.balance == 0 ? 10 : pick(0, 1) * 10;
      scheduler_.set_accounts(s_.accounts);
    }
  }

  void submit() {
    Request r;
    r.name = fmt::format("job-{}", ++jobs_);
    r.id.job = JobId(r.name);
    r.workspace = {pick(1, 3)};
    r.owner = {pick(1, 3)};
    r.priority = pick(0, 3) == 0 ? 20 : 10;
    r.preemptible = pick(0, 2) == 0;
    r.queued_at = now_;
    if (pick(0, 1) == 0) r.time_left = Seconds(600 * pick(1, 20));
    const int groups = pick(0, 4) == 0 ? 2 : 1;
    for (int g = 0; g < groups; ++g) {
      Group group;
      group.each.gpus = g == 0 ? pick(0, 8) : pick(0, 1);
      group.each.cpu_milli = 1000 * pick(1, 4);
      group.each.memory = (std::int64_t{1} << 30) * pick(1, 16);
      if (pick(0, 5) == 0) group.each.gpu_types = {"A100"};
      if (pick(0, 5) == 0) group.fixed_ports = {9000 + pick(0, 2)};
      const int tasks = pick(0, 2) == 0 ? pick(2, 4) : 1;
      for (int t = 0; t < tasks; ++t) group.tasks.push_back({g, t});
      group.min_tasks = tasks > 1 && pick(0, 2) == 0 ? 1 : tasks;
      r.min_tasks += group.min_tasks;
      r.groups.push_back(std::move(group));
    }
    scheduler_.enqueue(r);
    s_.waiting.push_back(std::move(r));
  }

  void end(int at) {
    const auto job = s_.running[at].request.id.job;
    scheduler_.release_job(job, now_);
    s_.running.erase(s_.running.begin() + at);
  }

  bool decide() {
    const auto before = s_.running.size();
    const auto plan = scheduler_.plan(now_);
    for (const auto& start : plan.starts) begin(start);
    for (const auto& stop : plan.preempt) {
      const auto at = std::ranges::find_if(
          s_.running, [&](const Placed& p) { return p.request.id.job == stop.job; });
      ADD_UNLESS(at != s_.running.end(), "who is stopped runs");
      ADD_UNLESS(at->request.preemptible, "who is stopped may be stopped");
      said_ += fmt::format("stop {}; ", stop.job.str());
      scheduler_.release_job(stop.job, now_, Scheduler::Ended::Interrupted);
      scheduler_.enqueue(at->request);
      s_.waiting.push_back(at->request);
      s_.running.erase(at);
    }
    if (s_.running.size() != before) check();
    return !plan.preempt.empty();
  }

  void begin(const Start& start) {
    const auto at = std::ranges::find(s_.waiting, start.id, &Request::id);
    ADD_UNLESS(at != s_.waiting.end(), "who starts waited");
    // A gang is whole, or as small as it allows, never smaller.
    for (const auto& group : at->groups) {
      const auto here = std::ranges::count_if(start.tasks, [&](const Assigned& a) {
        return std::ranges::find(group.tasks, a.task) != group.tasks.end();
      });
      EXPECT_GE(here, group.min_tasks);
      EXPECT_LE(here, static_cast<std::ptrdiff_t>(group.tasks.size()));
    }
    const auto* account = s_.account(at->workspace);
    EXPECT_FALSE(account->balance && *account->balance <= 0) << "nothing starts without balance";
    for (const auto& task : start.tasks)
      EXPECT_FALSE(s_.node(task.node).draining) << "nothing starts on a draining node";
    said_ += fmt::format("{}:", start.id.job.str());
    for (const auto& task : start.tasks) said_ += fmt::format("{}/{} ", task.node, join_gpus(task));
    s_.running.push_back({*at, start.tasks, now_});
    s_.waiting.erase(at);
    check_limits(s_.running.back().request);
  }

  static std::string join_gpus(const Assigned& task) {
    std::string out;
    for (int g : task.gpus) out += static_cast<char>('0' + g);
    return out;
  }

  void check_limits(const Request& started) {
    const auto* account = s_.account(started.workspace);
    const auto by = [&](bool whole) {
      return used(s_, [&](const Placed& job, const Assigned&) {
        return job.request.workspace == started.workspace &&
               (whole || job.request.owner == started.owner);
      });
    };
    if (account->limit.gpus) EXPECT_LE(by(true).gpus, *account->limit.gpus);
    if (account->user_limit.gpus) EXPECT_LE(by(false).gpus, *account->user_limit.gpus);
  }

  /// Nobody has what another has, and nobody has what is not there.
  void check() {
    for (const auto& node : s_.nodes) {
      Sum sum;
      std::set<int> gpus, ports;
      for (const auto& job : s_.running) {
        for (const auto& task : job.tasks) {
          if (task.node != node.name) continue;
          const auto& group = group_of(job.request, task.task);
          sum.add(group.each);
          EXPECT_EQ(static_cast<std::int64_t>(task.gpus.size()), group.each.gpus);
          for (int g : task.gpus) {
            EXPECT_TRUE(gpus.insert(g).second) << "GPU given twice";
            EXPECT_TRUE(node.gpus[g].healthy);
            const auto& types = group.each.gpu_types;
            EXPECT_TRUE(types.empty() || types[0] == node.gpus[g].type);
          }
          for (int p : group.fixed_ports) EXPECT_TRUE(ports.insert(p).second) << "port given twice";
        }
      }
      EXPECT_LE(sum.cpu_milli, node.cpu_milli);
      EXPECT_LE(sum.memory, node.memory);
    }
  }

  static void ADD_UNLESS(bool holds, const char* what) { ASSERT_TRUE(holds) << what; }

  std::mt19937 random_;
  Scheduler scheduler_;
  Policy policy_;
  Situation s_;
  Time now_ = kNow;
  int jobs_ = 0;
  std::string said_;
};

Policy policy_of(unsigned seed) {
  Policy policy;
  if (seed % 3 == 1) policy.order = Order::Service;
  if (seed % 7 == 3) policy.backfill = false;
  if (seed % 5 == 2) policy.preemption = false;
  return policy;
}

TEST(Properties, NothingIsGivenTwiceGangsAreWholeAndQuotasHold) {
  for (unsigned seed = 1; seed <= 120; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Life(seed, policy_of(seed)).run(120);
    if (HasFailure()) return;
  }
}

TEST(Properties, TheSameCallsGiveTheSamePlans) {
  for (unsigned seed = 1; seed <= 30; ++seed) {
    const auto once = Life(seed, policy_of(seed)).run(100);
    EXPECT_EQ(once, Life(seed, policy_of(seed)).run(100)) << "seed " << seed;
    EXPECT_FALSE(once.empty());
  }
}

/// Jobs with known lengths until all have ended; when each started last.
class Timeline {
 public:
  struct Job {
    Request request;
    Millis length{0};
  };
  Timeline(Policy policy, std::vector<Node> nodes, std::vector<Account> accounts)
      : scheduler_(policy) {
    scheduler_.set_nodes(std::move(nodes));
    scheduler_.set_accounts(std::move(accounts));
  }

  std::map<std::string, Time> run(std::vector<Job> jobs) {
    std::ranges::sort(
        jobs, {}, [](const Job& j) { return std::pair(j.request.queued_at, j.request.name); });
    std::map<std::string, Time> begun;
    std::map<std::string, std::pair<Job, int>> by_name;
    using End = std::tuple<Time, std::string, int>;
    std::priority_queue<End, std::vector<End>, std::greater<>> ends;
    std::optional<Time> look;
    std::size_t next = 0, left = jobs.size();
    while (left > 0) {
      Time now = next < jobs.size() ? jobs[next].request.queued_at : Time::max();
      if (!ends.empty()) now = std::min(now, std::get<0>(ends.top()));
      if (look) now = std::min(now, *look);
      if (now == Time::max()) break;  // the rest waits for ever
      for (; !ends.empty() && std::get<0>(ends.top()) <= now; ends.pop()) {
        const auto& [at, name, start] = ends.top();
        if (by_name[name].second != start) continue;
        scheduler_.release_job(JobId(name), now);
        --left;
      }
      for (; next < jobs.size() && jobs[next].request.queued_at <= now; ++next) {
        scheduler_.enqueue(jobs[next].request);
        by_name[jobs[next].request.name] = {jobs[next], 0};
      }
      int rounds = 0;
      for (bool again = true; again && rounds < 100; ++rounds) {
        const auto plan = scheduler_.plan(now);
        for (const auto& s : plan.starts) {
          auto& [job, starts] = by_name[s.id.job.str()];
          begun[job.request.name] = now;
          ends.emplace(now + job.length, job.request.name, ++starts);
        }
        for (const auto& p : plan.preempt) {
          auto& [job, starts] = by_name[p.job.str()];
          ++starts;
          scheduler_.release_job(p.job, now, Scheduler::Ended::Interrupted);
          scheduler_.enqueue(job.request);
        }
        again = !plan.preempt.empty();
        look = plan.next_look;
        if (look && *look <= now) look = now + Millis(1);
      }
      EXPECT_LT(rounds, 100) << "stops and starts go round in circles";
      if (rounds >= 100) break;
    }
    return begun;
  }

 private:
  Scheduler scheduler_;
};

Node node_of(std::string name, int gpus) {
  Node node;
  node.name = std::move(name);
  node.cpu_milli = 64'000;
  node.memory = std::int64_t{256} << 30;
  node.gpus.assign(gpus, Gpu{"A100", 0, true});
  return node;
}

Timeline::Job job_of(
    std::string name, int workspace, int gpus, Time at, Millis length, int tasks = 1) {
  Request r;
  r.name = std::move(name);
  r.id.job = JobId(r.name);
  r.workspace = {workspace};
  r.owner = {workspace};
  r.queued_at = at;
  Group group;
  group.each.gpus = gpus;
  group.each.cpu_milli = 100;
  group.each.memory = 1 << 20;
  for (int t = 0; t < tasks; ++t) group.tasks.push_back({0, t});
  group.min_tasks = r.min_tasks = tasks;
  r.groups.push_back(std::move(group));
  return {std::move(r), length};
}

TEST(Properties, NoJobStarves) {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    std::mt19937 random(seed);
    const auto pick = [&](int low, int high) {
      return std::uniform_int_distribution(low, high)(random);
    };
    Policy policy;
    policy.starvation_bound = 6h;
    // As much small work as fits, from workspaces that use less than the one with the large gangs:
    // without the bound these would wait until the end.
    std::vector<Timeline::Job> jobs;
    for (int i = 0; i < 600; ++i) {
      jobs.push_back(job_of(fmt::format("small-{}", i),
                            pick(2, 6),
                            1,
                            kNow + Seconds(450 * i),
                            Seconds(60 * pick(30, 180))));
    }
    for (int i = 0; i < 3; ++i) {
      jobs.push_back(
          job_of(fmt::format("large-{}", i), 1, 8, kNow + Seconds(3600 * (1 + 4 * i)), 1h, 2));
    }
    auto begun = Timeline(policy, {node_of("n1", 8), node_of("n2", 8)}, {}).run(jobs);
    ASSERT_EQ(begun.size(), jobs.size()) << "everybody starts";
    for (const auto& job : jobs) {
      const bool large = job.request.name.starts_with("large");
      // The bound, until those who run have ended, those who passed on a wrong guess too, and, for
      // the last, those before them.
      if (large) EXPECT_LE(begun[job.request.name] - job.request.queued_at, 15h);
    }
  }
}

TEST(Properties, NoWorkspaceIsWorseOffThanWithItsGuaranteeAsAClusterOfItsOwn) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    std::mt19937 random(seed);
    const auto pick = [&](int low, int high) {
      return std::uniform_int_distribution(low, high)(random);
    };
    const int own = pick(1, 6);
    std::vector<Timeline::Job> mine, all;
    for (int i = 0; i < 40; ++i) {
      mine.push_back(job_of(fmt::format("mine-{}", i),
                            1,
                            1,
                            kNow + Seconds(pick(0, 40'000)),
                            Seconds(pick(60, 20'000))));
    }
    all = mine;
    for (int i = 0; i < 120; ++i) {
      auto other = job_of(fmt::format("other-{}", i),
                          2,
                          pick(1, 2),
                          kNow + Seconds(pick(0, 30'000)),
                          Seconds(pick(600, 40'000)));
      other.request.preemptible = pick(0, 1) == 0;
      all.push_back(std::move(other));
    }
    Account promised;
    promised.workspace = {1};
    promised.name = "mine";
    promised.guarantee.gpus = own;
    auto alone = Timeline({}, {node_of("n1", own)}, {}).run(mine);
    auto shared = Timeline({}, {node_of("n1", 8)}, {promised}).run(all);
    for (const auto& job : mine) {
      EXPECT_LE(shared[job.request.name], alone[job.request.name]) << job.request.name;
    }
  }
}

}  // namespace
}  // namespace ty::sched
