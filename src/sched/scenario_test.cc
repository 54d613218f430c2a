#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/text.h"
#include "base/time.h"
#include "sched/scheduler.h"

/// Runs every file of tests/scenarios: a world, and the plan it should give.
/// tests/scenarios/README.md says what may stand in one.
namespace ty::sched {
namespace {

const Time kNow = from_millis(1'750'000'000'000);

[[noreturn]] void wrong(const YAML::Node& node, const std::string& what) {
  throw std::runtime_error("line " + std::to_string(node.Mark().line + 1) + ": " + what);
}

void only_keys(const YAML::Node& map, const std::set<std::string>& keys) {
  for (const auto& entry : map) {
    const auto key = entry.first.as<std::string>();
    if (!keys.contains(key)) wrong(entry.first, "unknown key " + key);
  }
}

std::int64_t bytes(const YAML::Node& node) {
  const auto text = node.as<std::string>();
  if (text.empty() || (text.back() != 'G' && text.back() != 'M'))
    wrong(node, "write memory as 16G or 512M");
  return std::stoll(text) << (text.back() == 'G' ? 30 : 20);
}

std::int64_t milli(const YAML::Node& node) {
  return static_cast<std::int64_t>(node.as<double>() * 1000);
}

Seconds duration(const YAML::Node& node) {
  auto d = parse_duration(node.as<std::string>());
  if (!d) wrong(node, d.error().message.text());
  return *d;
}

/// `4`, `A100:4`, or `[A100, V100]:4` written as {types: […], count: 4}.
void read_gpus(const YAML::Node& node, model::Resources& r) {
  if (node.IsMap()) {
    r.gpus = node["count"].as<int>();
    r.gpu_types = node["types"].as<std::vector<std::string>>();
    return;
  }
  const auto parts = split(node.as<std::string>(), ':');
  r.gpus = std::stoi(parts.back());
  if (parts.size() == 2) r.gpu_types = {parts[0]};
}

Node read_node(const YAML::Node& y) {
  only_keys(y, {"name", "gpus", "cpus", "memory", "labels", "drain", "links", "broken_gpus"});
  Node node;
  node.name = y["name"].as<std::string>();
  model::Resources r;
  if (y["gpus"]) read_gpus(y["gpus"], r);
  const int per_link =
      y["links"] ? y["links"].as<int>() : static_cast<int>(std::max<std::int64_t>(r.gpus, 1));
  for (int i = 0; i < r.gpus; ++i) {
    node.gpus.push_back({r.gpu_types.empty() ? "A100" : r.gpu_types[0], i / per_link, true});
  }
  for (const auto& broken : y["broken_gpus"]) node.gpus[broken.as<std::size_t>()].healthy = false;
  node.cpu_milli = y["cpus"] ? milli(y["cpus"]) : 64'000;
  node.memory = y["memory"] ? bytes(y["memory"]) : std::int64_t{256} << 30;
  if (y["labels"]) node.labels = y["labels"].as<model::TextMap>();
  node.draining = y["drain"] && y["drain"].as<bool>();
  return node;
}

class World {
 public:
  explicit World(const YAML::Node& file) {
    only_keys(file,
              {"about",
               "policy",
               "nodes",
               "workspaces",
               "reservations",
               "ended",
               "running",
               "jobs",
               "move",
               "expect"});
    scheduler_.set_policy(read_policy(file["policy"]));
    std::vector<Node> nodes;
    for (const auto& y : file["nodes"]) nodes.push_back(read_node(y));
    scheduler_.set_nodes(nodes);
    std::vector<Account> accounts;
    for (const auto& y : file["workspaces"]) accounts.push_back(read_account(y));
    scheduler_.set_accounts(accounts);
    std::vector<Reservation> reservations;
    for (const auto& y : file["reservations"]) reservations.push_back(read_reservation(y));
    scheduler_.set_reservations(reservations);
    for (const auto& y : file["ended"]) live_through(y);
    for (const auto& y : file["running"]) occupy(y);
    for (const auto& y : file["jobs"]) scheduler_.enqueue(read_job(y));
    for (const auto& y : file["move"]) {
      only_keys(y, {"job", "before"});
      std::optional<RequestId> before;
      if (y["before"]) before = id_of(y["before"].as<std::string>());
      auto moved = scheduler_.move_before(id_of(y["job"].as<std::string>()), before);
      if (!moved) wrong(y, moved.error().message.text());
    }
    check(file["expect"]);
  }

 private:
  static RequestId id_of(const std::string& name) { return {JobId(name), 0}; }

  static Policy read_policy(const YAML::Node& y) {
    Policy p;
    if (!y) return p;
    only_keys(y, {"order", "backfill", "preemption", "moves", "starvation_bound", "half_life"});
    if (y["order"] && y["order"].as<std::string>() == "service") p = service_policy();
    if (y["backfill"]) p.backfill = y["backfill"].as<bool>();
    if (y["preemption"]) p.preemption = y["preemption"].as<bool>();
    if (y["moves"]) p.moves = y["moves"].as<bool>();
    if (y["starvation_bound"]) p.starvation_bound = duration(y["starvation_bound"]);
    if (y["half_life"]) p.half_life = duration(y["half_life"]);
    return p;
  }

  WorkspaceId workspace(const std::string& name) {
    auto [at, is_new] =
        workspaces_.try_emplace(name, static_cast<std::int64_t>(workspaces_.size()) + 1);
    return {at->second};
  }
  UserId user(const std::string& name) {
    auto [at, is_new] = users_.try_emplace(name, static_cast<std::int64_t>(users_.size()) + 1);
    return {at->second};
  }

  static Bound read_bound(const YAML::Node& y) {
    Bound b;
    if (!y) return b;
    only_keys(y, {"gpus", "cpus", "memory"});
    if (y["gpus"]) b.gpus = y["gpus"].as<int>();
    if (y["cpus"]) b.cpu_milli = milli(y["cpus"]);
    if (y["memory"]) b.memory = bytes(y["memory"]);
    return b;
  }

  Account read_account(const YAML::Node& y) {
    only_keys(y, {"name", "guarantee", "limit", "user_limit", "weight", "balance"});
    Account a;
    a.name = y["name"].as<std::string>();
    a.workspace = workspace(a.name);
    a.guarantee = read_bound(y["guarantee"]);
    a.limit = read_bound(y["limit"]);
    a.user_limit = read_bound(y["user_limit"]);
    if (y["weight"]) a.weight = y["weight"].as<double>();
    if (y["balance"]) a.balance = y["balance"].as<double>();
    return a;
  }

  Reservation read_reservation(const YAML::Node& y) {
    only_keys(y, {"name", "nodes", "workspaces", "users", "in", "for"});
    Reservation r;
    r.name = y["name"].as<std::string>();
    r.nodes = y["nodes"].as<std::vector<std::string>>();
    for (const auto& w : y["workspaces"]) r.workspaces.push_back(workspace(w.as<std::string>()));
    for (const auto& u : y["users"]) r.users.push_back(user(u.as<std::string>()));
    r.from = y["in"] ? kNow + duration(y["in"]) : kNow;
    r.to = r.from + duration(y["for"]);
    return r;
  }

  Request read_job(const YAML::Node& y) {
    static const std::set<std::string> kRole = {
        "count", "gpus", "cpus", "memory", "labels", "ports", "min"};
    std::set<std::string> keys = kRole;
    keys.insert({"name",
                 "roles",
                 "workspace",
                 "user",
                 "priority",
                 "preemptible",
                 "waited",
                 "time_limit",
                 "not_before",
                 "min_tasks",
                 "on",
                 "gpu_ids",
                 "ran",
                 "ago",
                 "times"});
    only_keys(y, keys);
    Request r;
    r.name = y["name"].as<std::string>();
    r.id = id_of(r.name);
    r.workspace_name = y["workspace"] ? y["workspace"].as<std::string>() : "default";
    r.workspace = workspace(r.workspace_name);
    r.owner = user(y["user"] ? y["user"].as<std::string>() : "someone");
    if (y["priority"]) r.priority = y["priority"].as<int>();
    r.preemptible = y["preemptible"] ? y["preemptible"].as<bool>() : r.priority < 0;
    r.queued_at = kNow - 1h + Millis(++arrivals_);
    if (y["waited"]) r.queued_at = kNow - duration(y["waited"]);
    if (y["time_limit"]) r.time_left = duration(y["time_limit"]);
    if (y["not_before"]) r.not_before = kNow + duration(y["not_before"]);
    std::vector<YAML::Node> roles;
    if (y["roles"]) {
      for (const auto& role : y["roles"]) {
        only_keys(role, kRole);
        roles.push_back(role);
      }
    } else {
      roles.push_back(y);
    }
    for (int i = 0; i < static_cast<int>(roles.size()); ++i) {
      const auto& role = roles[i];
      Group g;
      const int count = role["count"] ? role["count"].as<int>() : 1;
      for (int t = 0; t < count; ++t) g.tasks.push_back({i, t});
      if (role["gpus"]) read_gpus(role["gpus"], g.each);
      g.each.cpu_milli = role["cpus"] ? milli(role["cpus"]) : 1000;
      g.each.memory = role["memory"] ? bytes(role["memory"]) : std::int64_t{1} << 30;
      if (role["labels"]) g.node_labels = role["labels"].as<model::TextMap>();
      if (role["ports"]) g.fixed_ports = role["ports"].as<std::vector<int>>();
      g.min_tasks = role["min"] ? role["min"].as<int>() : (y["min_tasks"] ? 0 : count);
      r.min_tasks += g.min_tasks;
      r.groups.push_back(std::move(g));
    }
    if (y["min_tasks"]) r.min_tasks = y["min_tasks"].as<int>();
    return r;
  }

  /// `on` is a node, or a list with one node per task; GPUs are taken from 0 up unless `gpu_ids`
  /// names them.
  void occupy(const YAML::Node& y) {
    const auto r = read_job(y);
    scheduler_.occupy(
        r, assigned(r, y, next_gpu_), kNow - (y["ran"] ? duration(y["ran"]) : Seconds(600)));
  }

  /// A job that ran, ended `ago` and is remembered; `times` of them, one after the other.
  void live_through(const YAML::Node& y) {
    auto r = read_job(y);
    const auto ran = duration(y["ran"]);
    const int times = y["times"] ? y["times"].as<int>() : 1;
    Time since = kNow - duration(y["ago"]) - ran * times;
    for (int i = 0; i < times; ++i, since += ran) {
      std::map<std::string, int> from_zero;
      r.id.job = JobId(r.name + "-" + std::to_string(i));
      scheduler_.occupy(r, assigned(r, y, from_zero), since);
      scheduler_.release_job(r.id.job, since + ran);
    }
  }

  static std::vector<Assigned> assigned(const Request& r,
                                        const YAML::Node& y,
                                        std::map<std::string, int>& next_gpu) {
    std::vector<Assigned> tasks;
    for (const auto& g : r.groups) {
      for (const auto& ref : g.tasks) {
        Assigned a{ref, {}, {}, {}};
        a.node = y["on"].IsSequence() ? y["on"][tasks.size()].as<std::string>()
                                      : y["on"].as<std::string>();
        for (int i = 0; i < g.each.gpus; ++i) a.gpus.push_back(next_gpu[a.node]++);
        if (y["gpu_ids"]) a.gpus = y["gpu_ids"].as<std::vector<int>>();
        tasks.push_back(std::move(a));
      }
    }
    return tasks;
  }

  void check(const YAML::Node& y) {
    only_keys(y,
              {"start", "wait", "impossible", "preempt", "place", "tasks", "position", "change"});
    check_positions(y["position"]);
    const auto plan = scheduler_.plan(kNow);
    std::vector<std::string> started, stopped;
    std::map<std::string, std::vector<std::string>> places;
    for (const auto& s : plan.starts) {
      started.push_back(s.id.job.str());
      for (const auto& t : s.tasks) {
        std::string place = t.node;
        for (std::size_t i = 0; i < t.gpus.size(); ++i)
          place += (i == 0 ? ":" : ",") + std::to_string(t.gpus[i]);
        places[s.id.job.str()].push_back(place);
      }
    }
    for (const auto& p : plan.preempt) stopped.push_back(p.job.str());
    const auto list = [](const YAML::Node& n) {
      return n ? n.as<std::vector<std::string>>() : std::vector<std::string>{};
    };
    EXPECT_EQ(started, list(y["start"])) << "started";
    EXPECT_EQ(stopped, list(y["preempt"])) << "preempted";
    for (const auto& entry : y["place"]) {
      const auto name = entry.first.as<std::string>();
      EXPECT_EQ(places[name], list(entry.second)) << "places of " << name;
    }
    for (const auto& entry : y["tasks"]) {
      EXPECT_EQ(places[entry.first.as<std::string>()].size(), entry.second.as<std::size_t>());
    }
    std::size_t waits = 0;
    for (const auto& kind : {"wait", "impossible"}) {
      for (const auto& entry : y[kind]) {
        ++waits;
        const auto name = entry.first.as<std::string>();
        const auto e = scheduler_.explain(id_of(name), kNow);
        EXPECT_EQ(e.whole().text(), entry.second.as<std::string>()) << "why " << name << " waits";
        EXPECT_EQ(e.verdict == Explanation::Verdict::Impossible, std::string(kind) == "impossible")
            << name;
      }
    }
    EXPECT_EQ(scheduler_.waiting(), waits) << "every job that waits is listed with its reason";
    for (const auto& entry : y["change"]) {
      const auto name = entry.first.as<std::string>();
      const auto e = scheduler_.explain(id_of(name), kNow, Scheduler::Detail::Full);
      std::vector<std::string> change;
      for (const auto& c : e.change) change.push_back(c.text());
      EXPECT_EQ(change, list(entry.second)) << "what would start " << name;
    }
  }

  void check_positions(const YAML::Node& y) {
    for (const auto& entry : y) {
      const auto e = scheduler_.explain(id_of(entry.first.as<std::string>()), kNow);
      EXPECT_EQ(e.position, entry.second.as<int>())
          << "position of " << entry.first.as<std::string>();
    }
  }

  Scheduler scheduler_;
  std::map<std::string, std::int64_t> workspaces_, users_;
  std::map<std::string, int> next_gpu_;
  int arrivals_ = 0;
};

std::vector<std::string> scenario_files() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(TY_SOURCE_DIR "/tests/scenarios")) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path().string());
  }
  std::ranges::sort(files);
  return files;
}

class Scenario : public testing::TestWithParam<std::string> {};

TEST_P(Scenario, GivesThePlanItShould) {
  try {
    World world(YAML::LoadFile(GetParam()));
  } catch (const std::exception& e) {
    FAIL() << GetParam() << ": " << e.what();
  }
}

INSTANTIATE_TEST_SUITE_P(Files,
                         Scenario,
                         testing::ValuesIn(scenario_files()),
                         [](const auto& test) {
                           return std::filesystem::path(test.param).stem().string();
                         });

}  // namespace
}  // namespace ty::sched
