#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "base/text.h"
#include "sched/scheduler.h"

/// Small random sites with something wrong in each, for tests. Everything is kept as values next to
/// the scheduler, so that what it says can be checked against something that is not its own code.
namespace ty::sched::testing {

inline const Time kNow = from_millis(1'750'000'000'000);

struct Placed {
  Request request;
  std::vector<Assigned> tasks;
  Time since{};
};

struct Situation {
  Policy policy;
  std::vector<Node> nodes;
  std::vector<Account> accounts;
  std::vector<Reservation> reservations;
  std::vector<Placed> running;
  std::vector<Request> waiting;

  const Node& node(const std::string& name) const {
    return *std::ranges::find(nodes, name, &Node::name);
  }
  const Account* account(const WorkspaceId& id) const {
    const auto at = std::ranges::find(accounts, id, &Account::workspace);
    return at == accounts.end() ? nullptr : &*at;
  }
};

/// What somebody is given, in plain numbers.
struct Sum {
  std::int64_t gpus = 0, cpu_milli = 0, memory = 0;
  void add(const model::Resources& r, std::int64_t times = 1) {
    gpus += r.gpus * times, cpu_milli += r.cpu_milli * times, memory += r.memory * times;
  }
};

inline const Group& group_of(const Request& request, model::TaskRef task) {
  return *std::ranges::find_if(request.groups, [&](const Group& g) {
    return std::ranges::find(g.tasks, task) != g.tasks.end();
  });
}

/// Of the smallest start allowed.
inline Sum least_of(const Request& r) {
  Sum sum;
  for (const auto& g : r.groups) sum.add(g.each, g.min_tasks);
  return sum;
}

template <class Which>
Sum used(const Situation& s, Which which) {
  Sum sum;
  for (const auto& job : s.running) {
    for (const auto& task : job.tasks) {
      if (which(job, task)) sum.add(group_of(job.request, task.task).each);
    }
  }
  return sum;
}

/// The scheduler that was told all of it and has decided, and the situation as it is then.
struct Decided {
  Scheduler scheduler;
  Situation now;
};

inline Decided decide(const Situation& before) {
  Decided d{Scheduler(before.policy), before};
  auto& [scheduler, now] = d;
  scheduler.set_nodes(now.nodes);
  scheduler.set_accounts(now.accounts);
  scheduler.set_reservations(now.reservations);
  for (const auto& job : now.running) scheduler.occupy(job.request, job.tasks, job.since);
  for (const auto& request : now.waiting) scheduler.enqueue(request);
  for (int round = 0; round < 10; ++round) {
    const auto plan = scheduler.plan(kNow);
    for (const auto& start : plan.starts) {
      const auto at = std::ranges::find(now.waiting, start.id, &Request::id);
      now.running.push_back({*at, start.tasks, kNow});
      now.waiting.erase(at);
    }
    for (const auto& stop : plan.preempt) {
      const auto at = std::ranges::find_if(
          now.running, [&](const Placed& p) { return p.request.id.job == stop.job; });
      scheduler.release_job(stop.job, kNow, Scheduler::Ended::Interrupted);
      scheduler.enqueue(at->request);
      now.waiting.push_back(at->request);
      now.running.erase(at);
    }
    if (plan.starts.empty() && plan.preempt.empty()) break;
  }
  return d;
}

/// Whether it starts with the next decisions; whoever is stopped for it is gone at once.
inline bool starts(Scheduler& scheduler, const RequestId& id) {
  for (int round = 0; round < 4; ++round) {
    const auto plan = scheduler.plan(kNow);
    if (std::ranges::find(plan.starts, id, &Start::id) != plan.starts.end()) return true;
    for (const auto& stop : plan.preempt)
      scheduler.release_job(stop.job, kNow, Scheduler::Ended::Interrupted);
    if (plan.preempt.empty()) return false;
  }
  return false;
}

/// What is wrong in particular.
enum class Theme : std::uint8_t {
  Limit,
  UserLimit,
  Fragmented,
  Gang,
  Port,
  Label,
  Drain,
  Priority,
  Reserved,
  ReservedSoon,
  Balance,
  Guarantee,
  Type,
  TooBig,
  Backoff,
  Memory,
  Delay,
  Busy,
};
inline constexpr int kThemes = static_cast<int>(Theme::Busy) + 1;

class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed), theme_(static_cast<Theme>(seed % kThemes)) {}

  Situation make() {
    make_nodes();
    make_accounts();
    const bool full = is(Theme::Fragmented) || is(Theme::Gang) || is(Theme::Priority) ||
                      is(Theme::Delay) || is(Theme::Busy) || is(Theme::Drain) || chance(40);
    fill(full ? 90 : 45);
    if (is(Theme::Reserved) || is(Theme::ReservedSoon) || chance(8)) reserve();
    if (is(Theme::Drain) || chance(8)) s_.nodes[pick(0, count() - 1)].draining = true;
    const int jobs = pick(2, 6);
    for (int i = 0; i < jobs; ++i) s_.waiting.push_back(request(i == 0));
    return std::move(s_);
  }

 private:
  int pick(int low, int high) { return std::uniform_int_distribution(low, high)(random_); }
  bool chance(int percent) { return pick(1, 100) <= percent; }
  bool is(Theme theme) const { return theme_ == theme; }
  int count() const { return static_cast<int>(s_.nodes.size()); }

  void make_nodes() {
    const int nodes = is(Theme::Port) ? pick(1, 2) : pick(1, 5);
    for (int n = 0; n < nodes; ++n) {
      Node node;
      node.name = fmt::format("node-{}", n + 1);
      node.cpu_milli = 32'000;
      node.memory = std::int64_t{128} << 30;
      const std::string type = n % 3 == 2 ? "V100" : "A100";
      for (int g = 0; g < (chance(15) ? 4 : 8); ++g) node.gpus.push_back({type, g / 4, !chance(2)});
      node.labels["zone"] = n % 2 == 0 ? "a" : "b";
      s_.nodes.push_back(std::move(node));
    }
  }

  void make_accounts() {
    for (int w = 1; w <= 3; ++w) {
      Account a;
      a.workspace = {w};
      a.name = fmt::format("team-{}", w);
      if (is(Theme::Limit) || chance(6)) a.limit.gpus = pick(2, 6);
      if (is(Theme::UserLimit)) a.user_limit.gpus = pick(1, 4);
      if (is(Theme::UserLimit) && chance(30)) a.user_limit.memory = std::int64_t{24} << 30;
      if (is(Theme::Balance)) a.balance = chance(60) ? 0 : 5;
      if (is(Theme::Guarantee)) a.guarantee.gpus = 2 * count();
      s_.accounts.push_back(std::move(a));
    }
  }

  /// Running jobs on about `percent` of every node's GPUs.
  void fill(int percent) {
    for (const auto& node : s_.nodes) {
      for (int g = 0; g < static_cast<int>(node.gpus.size()); ++g) {
        if (!node.gpus[g].healthy || !chance(percent)) continue;
        Placed job{blank(fmt::format("old-{}", ++names_)), {}, kNow - Seconds(60 * pick(20, 600))};
        job.request.preemptible = is(Theme::Guarantee) || chance(30);
        job.request.priority = is(Theme::Priority) ? pick(0, 2) * 10 : 10;
        if (chance(60)) job.request.time_left = Seconds(600 * pick(1, 30));
        Group group;
        group.each.gpus = 1;
        group.each.cpu_milli = 1000 * pick(1, 3);
        group.each.memory = (std::int64_t{1} << 30) * (is(Theme::Memory) ? pick(4, 20) : 4);
        if (is(Theme::Port) && g == 0) group.fixed_ports = {8080};
        finish(job.request, std::move(group), 1);
        job.tasks.push_back({{0, 0}, node.name, {g}, node.gpus[g].type});
        s_.running.push_back(std::move(job));
      }
    }
  }

  void reserve() {
    Reservation r;
    r.name = "demo";
    const int first = pick(0, count() - 1);
    for (int n = 0; n < count(); ++n) {
      if (n == first || chance(40)) r.nodes.push_back(s_.nodes[n].name);
    }
    r.workspaces = {{3}};
    r.from = is(Theme::ReservedSoon) ? kNow + Seconds(60 * pick(10, 300)) : kNow - 1h;
    r.to = kNow + 12h;
    s_.reservations.push_back(std::move(r));
  }

  Request blank(std::string name) {
    Request r;
    r.id.job = JobId(name);
    r.name = std::move(name);
    r.workspace = {pick(1, 3)};
    r.workspace_name = fmt::format("team-{}", r.workspace.value);
    r.owner = {pick(1, 4)};
    r.queued_at = kNow - 2h + Millis(names_);
    return r;
  }

  static void finish(Request& r, Group group, int tasks) {
    const int role = static_cast<int>(r.groups.size());
    for (int t = 0; t < tasks; ++t) group.tasks.push_back({role, t});
    group.min_tasks = tasks;
    r.min_tasks += tasks;
    r.groups.push_back(std::move(group));
  }

  Request request(bool first) {
    auto r = blank(fmt::format("job-{}", ++names_));
    r.priority = is(Theme::Priority) ? pick(0, 2) * 10 : 10;
    r.preemptible = chance(25);
    if (chance(40)) r.time_left = Seconds(600 * pick(1, 60));
    if (is(Theme::Backoff) && chance(70)) r.not_before = kNow + Seconds(pick(10, 600));
    Group group;
    static constexpr int kGpus[] = {1, 1, 2, 4, 8};
    group.each.gpus = kGpus[pick(0, 4)];
    group.each.cpu_milli = 1000 * pick(1, 4);
    group.each.memory = (std::int64_t{1} << 30) * pick(1, 8);
    int tasks = 1;
    if ((is(Theme::Gang) && first) || chance(15)) tasks = pick(2, 4);
    if (is(Theme::Fragmented) && first) group.each.gpus = pick(4, 8);
    if (is(Theme::Delay) && first) group.each.gpus = 8;
    if (is(Theme::Delay) && !first) group.each.gpus = 1;
    if (is(Theme::Type))
      group.each.gpu_types = {chance(60) ? "V100" : chance(50) ? "A100" : "H100"};
    if (is(Theme::Label)) group.node_labels["zone"] = chance(60) ? "b" : chance(50) ? "a" : "c";
    if (is(Theme::Port)) group.each.gpus = pick(0, 1), group.fixed_ports = {8080};
    if (is(Theme::Memory)) group.each.memory = (std::int64_t{1} << 30) * pick(40, 120);
    if (is(Theme::TooBig) && first) {
      if (chance(50)) {
        group.each.gpus = pick(9, 16);
      } else {
        tasks = pick(6, 9), group.each.gpus = 8;
      }
    }
    finish(r, std::move(group), tasks);
    if (chance(10)) {
      Group helper;
      helper.each.cpu_milli = 2000;
      helper.each.memory = std::int64_t{2} << 30;
      finish(r, std::move(helper), pick(1, 2));
    }
    return r;
  }

  std::mt19937 random_;
  Theme theme_;
  Situation s_;
  int names_ = 0;
};

/// Does what the statement says, as a person would: through the face of the scheduler.
inline void apply(const Statement& change, const RequestId& id, Decided& d) {
  auto& [scheduler, now] = d;
  const auto number = [&](const char* key) {
    return std::get<std::int64_t>(change.find(key)->any());
  };
  const auto words = [&](const char* key) {
    return std::get<std::string>(change.find(key)->any());
  };
  auto& request = *std::ranges::find(now.waiting, id, &Request::id);
  const auto edit = [&](auto&& change_it) {
    change_it(request);
    scheduler.enqueue(request);
  };
  const auto each_group = [&](auto&& change_it) {
    edit([&](Request& r) {
      for (auto& g : r.groups) change_it(g);
    });
  };
  const auto account = [&](auto&& change_it) {
    change_it(*std::ranges::find(now.accounts, words("workspace"), &Account::name));
    scheduler.set_accounts(now.accounts);
  };
  const auto set = [&](Bound& bound) {
    const auto what = words("resource");
    (what == "gpus"   ? bound.gpus
     : what == "cpus" ? bound.cpu_milli
                      : bound.memory) = number("number");
  };
  const auto& code = change.code;
  if (code == "skip_backoff") return edit([](Request& r) { r.not_before.reset(); });
  if (code == "add_balance") return account([](Account& a) { a.balance = 1; });
  if (code == "raise_limit") return account([&](Account& a) { set(a.limit); });
  if (code == "raise_user_limit") return account([&](Account& a) { set(a.user_limit); });
  if (code == "make_preemptible") return edit([](Request& r) { r.preemptible = true; });
  if (code == "raise_priority") return edit([&](Request& r) { r.priority = number("priority"); });
  if (code == "shorten_time_limit")
    return edit([&](Request& r) { r.time_left = Seconds(number("seconds")); });
  if (code == "any_type") return each_group([](Group& g) { g.each.gpu_types.clear(); });
  if (code == "any_label") return each_group([](Group& g) { g.node_labels.clear(); });
  if (code == "other_port")
    return each_group(
        [&](Group& g) { std::erase(g.fixed_ports, static_cast<int>(number("port"))); });
  if (code == "fewer_gpus")
    return each_group([&](Group& g) { g.each.gpus = std::min(g.each.gpus, number("gpus")); });
  if (code == "less_memory")
    return each_group([&](Group& g) { g.each.memory = std::min(g.each.memory, number("number")); });
  if (code == "fewer_cpus") {
    return each_group(
        [&](Group& g) { g.each.cpu_milli = std::min(g.each.cpu_milli, number("number")); });
  }
  if (code == "fewer_tasks") {
    return edit([&](Request& r) {
      auto left = static_cast<std::size_t>(number("tasks"));
      r.min_tasks = 0;
      for (auto& g : r.groups) {
        g.tasks.resize(std::min(left, g.tasks.size()));
        left -= g.tasks.size();
        g.min_tasks = std::min(g.min_tasks, static_cast<int>(g.tasks.size()));
        r.min_tasks += g.min_tasks;
      }
      std::erase_if(r.groups, [](const Group& g) { return g.tasks.empty(); });
    });
  }
  if (code == "undrain") {
    std::ranges::find(now.nodes, words("node"), &Node::name)->draining = false;
    return scheduler.set_nodes(now.nodes);
  }
  if (code == "join_reservation") {
    std::ranges::find(now.reservations, words("reservation"), &Reservation::name)
        ->workspaces.push_back(request.workspace);
    return scheduler.set_reservations(now.reservations);
  }
  if (code == "move_to_front") {
    TY_CHECK(scheduler.move_before(id, std::nullopt).has_value(), "it waits");
    return;
  }
  if (code == "stop_jobs") {
    for (const auto& job : std::get<Value::Texts>(change.find("job_ids")->any()))
      scheduler.release_job(JobId(job), kNow, Scheduler::Ended::Interrupted);
    return;
  }
  TY_CHECK(false, "a change the tests do not know");
}

}  // namespace ty::sched::testing
