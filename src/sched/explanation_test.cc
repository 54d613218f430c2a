#include <gtest/gtest.h>

#include <map>

#include "sched/testing/situation.h"

/// Every explanation is true, and doing what it suggests starts the job: over hundreds of
/// situations, checked against plain sums over the values the scheduler was given.
namespace ty::sched {
namespace {

using namespace testing;
using Verdict = Explanation::Verdict;

/// Recomputes what a statement says.
class Facts {
 public:
  Facts(const Situation& s, const Request& r, const Statement& said) : s_(s), r_(r), said_(said) {}

  void check() {
    const auto& code = said_.code;
    if (code == "free_on_node" || code == "none_free" || code == "scattered") return scarce();
    if (code == "room_for_some") return room();
    if (code == "not_together") return;
    if (code == "port_taken") return port();
    if (code == "draining") {
      EXPECT_TRUE(s_.node(words("node")).draining);
      return;
    }
    if (code == "reserved" || code == "reserved_soon") return reserved();
    if (code == "backoff") {
      ASSERT_TRUE(r_.not_before);
      EXPECT_EQ(number("until"), to_millis(*r_.not_before));
      EXPECT_GT(*r_.not_before, kNow);
      return;
    }
    if (code == "no_balance") {
      EXPECT_LE(*s_.account(r_.workspace)->balance, 0);
      return;
    }
    if (code == "workspace_limit" || code == "user_limit") return limit();
    if (code == "above_limit" || code == "above_user_limit") return above();
    if (code == "guaranteed") return guaranteed();
    if (code == "would_delay" || code == "behind") {
      const auto other = std::ranges::find(
          s_.waiting, JobId(words("job_id")), [](const Request& r) { return r.id.job; });
      EXPECT_TRUE(other != s_.waiting.end()) << "whoever goes first waits";
      EXPECT_NE(words("job_id"), r_.id.job.str());
      return;
    }
    if (code == "no_type") {
      for (const auto& node : s_.nodes) {
        for (const auto& gpu : node.gpus) EXPECT_FALSE(gpu.healthy && wants(gpu.type)) << gpu.type;
      }
      return;
    }
    if (code == "no_label") {
      for (const auto& node : s_.nodes) EXPECT_FALSE(labels_match(node)) << node.name;
      return;
    }
    if (code == "node_too_small") {
      for (const auto& node : s_.nodes) EXPECT_LT(healthy(node), r_.groups[0].each.gpus);
      return;
    }
    if (code == "site_too_small") {
      EXPECT_LT(number("room"), r_.min_tasks);
      return;
    }
    ADD_FAILURE() << "nobody checks " << code;
  }

 private:
  std::string words(const char* key) const {
    const auto& value = said_.find(key)->any();
    if (const auto* inner = std::get_if<Value::Messages>(&value)) return inner->front().text();
    return std::get<std::string>(value);
  }
  std::int64_t number(const char* key) const {
    return std::get<std::int64_t>(said_.find(key)->any());
  }
  bool speaks_of(std::string_view what) const { return words("needs").ends_with(what); }

  bool wants(const std::string& type) const {
    const auto& types = r_.groups[0].each.gpu_types;
    return types.empty() || std::ranges::find(types, type) != types.end();
  }
  bool labels_match(const Node& node) const {
    return std::ranges::all_of(r_.groups[0].node_labels, [&](const auto& label) {
      const auto at = node.labels.find(label.first);
      return at != node.labels.end() && at->second == label.second;
    });
  }
  std::int64_t healthy(const Node& node) const {
    return std::ranges::count_if(node.gpus,
                                 [&](const Gpu& g) { return g.healthy && wants(g.type); });
  }
  Sum used_on(const Node& node) const {
    return used(s_, [&](const Placed&, const Assigned& t) { return t.node == node.name; });
  }
  /// What of the kind the statement speaks of is free there.
  std::int64_t free(const Node& node) const {
    if (speaks_of("of memory")) return node.memory - used_on(node).memory;
    if (speaks_of("CPU") || speaks_of("CPUs")) return node.cpu_milli - used_on(node).cpu_milli;
    std::int64_t n = 0;
    for (int g = 0; g < static_cast<int>(node.gpus.size()); ++g) {
      const bool taken = std::ranges::any_of(s_.running, [&](const Placed& job) {
        return std::ranges::any_of(job.tasks, [&](const Assigned& t) {
          return t.node == node.name && std::ranges::find(t.gpus, g) != t.gpus.end();
        });
      });
      n += node.gpus[g].healthy && wants(node.gpus[g].type) && !taken ? 1 : 0;
    }
    return n;
  }
  bool eligible(const Node& node) const {
    return !node.draining && labels_match(node) && healthy(node) >= r_.groups[0].each.gpus;
  }
  std::string bare(std::int64_t n) const {
    if (speaks_of("of memory")) return human_bytes(n);
    if (speaks_of("CPU") || speaks_of("CPUs"))
      return fmt::format("{:g}", static_cast<double>(n) / 1000);
    return std::to_string(n);
  }

  void scarce() {
    std::int64_t sum = 0, most = 0, some = 0;
    for (const auto& node : s_.nodes) {
      if (!eligible(node)) continue;
      const auto here = free(node);
      sum += here, most = std::max(most, here), some += here > 0 ? 1 : 0;
    }
    if (said_.code == "none_free") {
      EXPECT_EQ(sum, 0);
      return;
    }
    EXPECT_EQ(words("free"), bare(free(s_.node(words("node")))));
    EXPECT_EQ(words("free"), bare(most));
    if (said_.code == "scattered") {
      EXPECT_EQ(words("sum"), bare(sum));
      EXPECT_EQ(number("nodes"), some);
    }
  }

  void room() {
    EXPECT_LT(number("room"), number("tasks"));
    if (r_.groups.size() > 1 || !r_.groups[0].fixed_ports.empty()) return;
    const auto& each = r_.groups[0].each;
    std::int64_t tasks = 0;
    for (const auto& node : s_.nodes) {
      if (!eligible(node)) continue;
      const auto in_use = used_on(node);
      auto n = std::min((node.cpu_milli - in_use.cpu_milli) / each.cpu_milli,
                        (node.memory - in_use.memory) / each.memory);
      if (each.gpus > 0) {
        std::int64_t gpus = 0;
        for (int g = 0; g < static_cast<int>(node.gpus.size()); ++g)
          gpus += is_free(node, g) ? 1 : 0;
        n = std::min(n, gpus / each.gpus);
      }
      tasks += std::max<std::int64_t>(n, 0);
    }
    EXPECT_EQ(number("room"), std::min<std::int64_t>(tasks, number("tasks")));
  }
  bool is_free(const Node& node, int g) const {
    if (!node.gpus[g].healthy || !wants(node.gpus[g].type)) return false;
    return std::ranges::none_of(s_.running, [&](const Placed& job) {
      return std::ranges::any_of(job.tasks, [&](const Assigned& t) {
        return t.node == node.name && std::ranges::find(t.gpus, g) != t.gpus.end();
      });
    });
  }

  void port() {
    const auto port = static_cast<int>(number("port"));
    const auto by = std::ranges::find_if(
        s_.running, [&](const Placed& job) { return job.request.id.job.str() == words("job_id"); });
    ASSERT_TRUE(by != s_.running.end());
    EXPECT_TRUE(std::ranges::any_of(by->tasks, [&](const Assigned& t) {
      const auto& ports = group_of(by->request, t.task).fixed_ports;
      return t.node == words("node") && std::ranges::find(ports, port) != ports.end();
    }));
  }

  void reserved() {
    const auto& r = *std::ranges::find(s_.reservations, words("reservation"), &Reservation::name);
    EXPECT_TRUE(std::ranges::find(r.nodes, words("node")) != r.nodes.end());
    EXPECT_TRUE(std::ranges::find(r.workspaces, r_.workspace) == r.workspaces.end());
    EXPECT_EQ(r.from <= kNow, said_.code == "reserved");
    EXPECT_GT(r.to, kNow);
  }

  void limit() {
    const bool whole = said_.code == "workspace_limit";
    const auto sum = used(s_, [&](const Placed& job, const Assigned&) {
      return job.request.workspace == r_.workspace && (whole || job.request.owner == r_.owner);
    });
    const auto& account = *s_.account(r_.workspace);
    const auto& bound = whole ? account.limit : account.user_limit;
    const auto need = least_of(r_);
    if (words("resource") == "gpus") {
      EXPECT_EQ(words("used"), std::to_string(sum.gpus));
      EXPECT_EQ(words("limit"), std::to_string(*bound.gpus));
      EXPECT_EQ(words("needs"), std::to_string(need.gpus));
      EXPECT_GT(sum.gpus + need.gpus, *bound.gpus);
    } else {
      EXPECT_EQ(words("used"), human_bytes(sum.memory));
      EXPECT_GT(sum.memory + need.memory, *bound.memory);
    }
  }
  void above() {
    const auto& account = *s_.account(r_.workspace);
    const auto& bound = said_.code == "above_limit" ? account.limit : account.user_limit;
    const auto need = least_of(r_);
    EXPECT_TRUE((bound.gpus && need.gpus > *bound.gpus) ||
                (bound.memory && need.memory > *bound.memory));
  }

  void guaranteed() {
    EXPECT_FALSE(r_.preemptible);
    // Everyone's non-preemptible work or guarantee, whichever is more, has its place.
    std::int64_t capacity = 0, spoken_for = 0, own = 0;
    for (const auto& node : s_.nodes) {
      if (!node.draining) capacity += healthy(node);
    }
    for (const auto& a : s_.accounts) {
      const auto non_preemptible = used(s_, [&](const Placed& job, const Assigned&) {
        return job.request.workspace == a.workspace && !job.request.preemptible;
      });
      const auto promised = a.guarantee.gpus.value_or(0);
      spoken_for += std::max(promised, non_preemptible.gpus);
      if (a.workspace == r_.workspace)
        own = std::max<std::int64_t>(0, promised - non_preemptible.gpus);
    }
    if (words("resource") != "gpus") return;
    EXPECT_EQ(words("left"),
              std::to_string(own + std::max<std::int64_t>(0, capacity - spoken_for)));
    EXPECT_GT(least_of(r_).gpus, own + std::max<std::int64_t>(0, capacity - spoken_for));
  }

  const Situation& s_;
  const Request& r_;
  const Statement& said_;
};

std::string in_words(const Explanation& e) {
  std::string line = e.whole().text() + " => ";
  for (const auto& c : e.change) line += c.text() + "; ";
  return line;
}

TEST(Explanations, AreTrueAndWhatTheySuggestStartsTheJob) {
  std::map<std::string, int> reasons, changes;
  int seen = 0;
  for (unsigned seed = 0; seed < 180 || seen < 500; ++seed) {
    const auto situation = Generator(seed).make();
    const auto decided = decide(situation);
    const auto order = decided.scheduler.queue(kNow, 0, 100);
    ASSERT_EQ(order.size() <= decided.now.waiting.size(), true);
    for (const auto& request : decided.now.waiting) {
      SCOPED_TRACE(fmt::format("seed {}, {}", seed, request.name));
      const auto e = decided.scheduler.explain(request.id, kNow, Scheduler::Detail::Full);
      ++seen;
      SCOPED_TRACE(in_words(e));
      ASSERT_NE(e.verdict, Verdict::Unknown);
      ASSERT_NE(e.verdict, Verdict::StartsNow) << "the decision before did not start it";
      ASSERT_FALSE(e.reasons.empty());
      for (const auto& reason : e.reasons) {
        ++reasons[reason.code];
        Facts(decided.now, request, reason).check();
      }
      if (const auto at = std::ranges::find(order, request.id, &QueueEntry::id); at != order.end())
        EXPECT_EQ(e.position, at - order.begin() + 1);
      EXPECT_FALSE(e.change.empty()) << "something would start it";
      auto changed = decide(situation);  // the same calls give the same state
      for (const auto& change : e.change) {
        ++changes[change.code];
        apply(change, request.id, changed);
      }
      EXPECT_TRUE(starts(changed.scheduler, request.id)) << "what would start it does";
    }
  }
  EXPECT_GE(seen, 500);
  // Every kind of obstacle came up.
  for (const auto* code : {"workspace_limit",
                           "user_limit",
                           "scattered",
                           "room_for_some",
                           "port_taken",
                           "no_label",
                           "draining",
                           "reserved",
                           "reserved_soon",
                           "no_balance",
                           "guaranteed",
                           "no_type",
                           "node_too_small",
                           "site_too_small",
                           "backoff",
                           "free_on_node",
                           "none_free",
                           "would_delay"})
    EXPECT_GT(reasons[code], 0) << code;
  for (const auto* code : {"raise_limit",
                           "move_to_front",
                           "stop_jobs",
                           "raise_priority",
                           "shorten_time_limit",
                           "undrain",
                           "join_reservation"})
    EXPECT_GT(changes[code], 0) << code;
  for (const auto& [code, n] : reasons) RecordProperty(code, n);
}

}  // namespace
}  // namespace ty::sched
