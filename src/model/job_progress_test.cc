#include "model/job_progress.h"

#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "base/text.h"
#include "model/failure.h"
#include "model/words.h"

/// Runs tests/data/completion.yaml: a small world around JobProgress that places, starts, ends and
/// stops tasks as the data says, and answers every order to stop at once.
namespace ty::model {
namespace {

const YAML::Node& data() {
  static const YAML::Node root = YAML::LoadFile(TY_SOURCE_DIR "/tests/data/completion.yaml");
  return root;
}

std::optional<std::int64_t> minimum(const YAML::Node& value, std::int64_t count) {
  if (value.IsNull()) return std::nullopt;
  if (value.Scalar() == "all") return count;
  return value.as<std::int64_t>();
}

std::vector<FailureClass> classes(const YAML::Node& list) {
  std::vector<FailureClass> out;
  for (const auto& word : list) out.push_back(from_word<FailureClass>(word.Scalar()).value());
  return out;
}

std::vector<Policy> policies(const YAML::Node& list) {
  std::vector<Policy> out;
  for (const auto& one : list) {
    out.push_back({.events = {from_word<PolicyEvent>(one["on"].Scalar()).value()},
                   .action = from_word<PolicyAction>(one["do"].Scalar()).value()});
  }
  return out;
}

RoleSpec read_role(const std::string& name, const YAML::Node& own, const YAML::Node& dialect) {
  const auto field = [&](const char* key) {
    return own[key].IsDefined() ? own[key] : dialect[key];
  };
  RoleSpec role;
  role.name = name;
  if (own["count"].IsDefined()) role.count = own["count"].as<std::int64_t>();
  RoleCompletion& done = role.completion;
  if (field("f").IsDefined()) done.min_failed = minimum(field("f"), role.count);
  if (field("s").IsDefined()) done.min_succeeded = minimum(field("s"), role.count);
  if (field("main").IsDefined()) done.ends_job = field("main").as<bool>();
  if (own["decider"].IsDefined()) done.decider = own["decider"].as<std::int64_t>();
  if (field("need").IsDefined()) {
    done.need = field("need").Scalar() == "s" ? done.min_succeeded.value_or(0)
                                              : minimum(field("need"), role.count).value();
  }
  if (own["restart"].IsDefined()) role.restart.budget = own["restart"].as<std::int64_t>();
  if (field("restart_lost").IsDefined()) role.restart.lost = field("restart_lost").as<bool>();
  if (own["min"].IsDefined()) role.min_available = own["min"].as<std::int64_t>();
  role.policies = policies(own["policies"]);
  return role;
}

JobSpec read_job(const YAML::Node& job) {
  const YAML::Node dialect = data()["dialects"][job["dialect"].Scalar()];
  JobSpec spec;
  for (const auto& role : job["roles"]) {
    spec.roles.push_back(read_role(role.first.Scalar(), role.second, dialect));
  }
  spec.completion.at_end = from_word<AtEnd>(dialect["at_end"].Scalar()).value();
  const auto number = [&](const char* key, auto& field) {
    if (job[key].IsDefined()) field = job[key].as<std::int64_t>();
  };
  const auto seconds = [&](const char* key, auto& field) {
    if (job[key].IsDefined()) field = Seconds{job[key].as<std::int64_t>()};
  };
  if (dialect["linger"].IsDefined()) spec.completion.linger = Seconds{dialect["linger"].as<int>()};
  if (dialect["retry_on"].IsDefined()) spec.retry.on = classes(dialect["retry_on"]);
  if (dialect["counted"].IsDefined()) spec.retry.counted = classes(dialect["counted"]);
  number("retry", spec.retry.budget);
  number("gang", spec.min_available);
  number("need", spec.completion.need);
  number("min_succeeded", spec.completion.min_succeeded);
  seconds("time_limit", spec.time_limit);
  seconds("debug_hold", spec.debug_hold);
  spec.policies = policies(job["policies"]);
  return spec;
}

/// `w1=1@4`, `job=limit@50`, `stop@20`.
struct Happening {
  std::string who;
  std::string what;
  int at = 0;
};

std::vector<std::vector<Happening>> read_attempts(const std::string& text) {
  std::vector<std::vector<Happening>> attempts(1);
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (word == "//") {
      attempts.emplace_back();
      continue;
    }
    const std::size_t at = word.find('@');
    const std::string said = word.substr(0, at);
    const std::size_t equals = said.find('=');
    attempts.back().push_back({.who = said.substr(0, equals),
                               .what = equals == std::string::npos ? "" : said.substr(equals + 1),
                               .at = std::stoi(word.substr(at + 1))});
  }
  return attempts;
}

Ending ending_for(const std::string& what) {
  if (what == "lost") return lost(plain("the node went away"));
  if (what == "evict") return lost(plain("evicted"), Reason::Evicted);
  if (what == "image") return fault(Reason::ImageMissing, plain("no such image"));
  if (what == "oom") return out_of_memory(2LL << 30, 2LL << 30);
  if (what == "launch") return fault(Reason::StartFailed, plain("the runtime did not start it"));
  return exited(std::stoi(what));
}

class World {
 public:
  World(JobSpec spec, SiteRules rules)
      : spec_(std::move(spec)), rules_(rules), life_(JobProgress::begin(spec_, now_)) {}

  void play(const std::vector<std::vector<Happening>>& attempts) {
    for (const std::vector<Happening>& happenings : attempts) {
      wait_for_its_turn();
      begin_ = now_;
      mute_ = who_never_starts(happenings);
      place();
      for (std::size_t i = 0; i < happenings.size();) {
        std::size_t end = i;
        while (end < happenings.size() && happenings[end].at == happenings[i].at) ++end;
        run_until(begin_ + Seconds{happenings[i].at});
        happen({happenings.begin() + static_cast<std::ptrdiff_t>(i),
                happenings.begin() + static_cast<std::ptrdiff_t>(end)});
        i = end;
      }
      while (is_placed(life_.state)) {
        const auto next = progress().next_deadline(now_);
        if (!next) break;
        run_until(*next);
      }
    }
  }

  void apply(const Fact& fact) {
    const JobLife before = life_;
    const Effects effects = progress().apply(fact, now_);
    EXPECT_EQ(effects.changed, !(life_ == before));
    for (const StopTask& stop : effects.stop) {
      EXPECT_TRUE(stops_.emplace(std::tuple(stop.task, stop.attempt, stop.tries), now_).second);
      unanswered_.push_back(stop);
    }
    for (const EndedTry& ended : effects.ended) {
      EXPECT_TRUE(ended_.emplace(ended.task.ref, ended.attempt, ended.task.tries).second);
    }
    for (const TaskRef task : effects.start) to_start_.push_back(task);
    for (const Task& task : life_.tasks) {
      if (!task.hold_until) continue;
      holds_[task.ref] = *task.hold_until;
      EXPECT_EQ(task.state, TaskState::Running);
    }
    if (before.state == JobState::Stopping && life_.state == JobState::Queued && life_.not_before) {
      const Time decided = *before.decided_at;
      waits_.push_back(std::chrono::duration_cast<Seconds>(*life_.not_before - decided).count());
    } else if (is_placed(before.state) && life_.state == JobState::Queued && life_.not_before) {
      waits_.push_back(std::chrono::duration_cast<Seconds>(*life_.not_before - now_).count());
    }
  }

  TaskRef ref(const std::string& name) const {
    for (std::size_t r = 0; r < spec_.roles.size(); ++r) {
      if (name.substr(0, 1) == spec_.roles[r].name) {
        return {static_cast<int>(r), std::stoi(name.substr(1))};
      }
    }
    ADD_FAILURE() << "no task " << name;
    return {};
  }
  const Task& task(const std::string& name) const {
    const TaskRef wanted = ref(name);
    return *std::ranges::find_if(life_.tasks, [&](const Task& one) { return one.ref == wanted; });
  }
  std::int64_t second(Time at) const {
    return std::chrono::duration_cast<Seconds>(at - begin_).count();
  }
  std::optional<std::int64_t> stopped_at(const std::string& name) const {
    const auto found = stops_.find({ref(name), life_.attempt, task(name).tries});
    if (found == stops_.end()) return std::nullopt;
    return second(found->second);
  }

  std::int64_t held_until(const std::string& name) const {
    const auto found = holds_.find(ref(name));
    return found == holds_.end() ? -1 : second(found->second);
  }

  JobProgress progress() { return JobProgress(spec_, life_, rules_, 42); }
  const JobLife& life() const { return life_; }
  const std::vector<std::int64_t>& waits() const { return waits_; }
  void run_until(Time when) {
    while (true) {
      const auto next = progress().next_deadline(now_);
      if (!next || *next > when) break;
      now_ = std::max(now_, *next);
      apply(fact::Tick{});
      settle();
      const auto again = progress().next_deadline(now_);
      ASSERT_TRUE(!again || *again > now_) << "a tick must take what is due";
    }
    now_ = std::max(now_, when);
    if (life_.state != JobState::Queued) place();
  }

 private:
  void wait_for_its_turn() {
    if (const auto due = life_.not_before; due && *due > now_) now_ = *due;
  }

  std::set<std::string> who_never_starts(const std::vector<Happening>& happenings) const {
    std::set<std::string> names;
    for (const Happening& one : happenings) {
      if (one.what == "launch" || one.what == "image" || one.what == "gang") names.insert(one.who);
    }
    return names;
  }

  bool is_mute(TaskRef task) const {
    if (mute_.contains("job")) return true;
    return std::ranges::any_of(mute_, [&](const std::string& name) { return ref(name) == task; });
  }

  void place() {
    fact::Placed placed;
    for (const TaskRef task : progress().to_place(now_)) {
      placed.tasks.push_back({task, {.node = "n1", .address = "127.0.0.1"}});
    }
    if (!placed.tasks.empty()) apply(placed);
    for (const TaskRef task : std::exchange(to_start_, {})) {
      if (is_mute(task)) continue;
      const auto at =
          std::ranges::find_if(life_.tasks, [&](const Task& t) { return t.ref == task; });
      apply(fact::TaskStarted{task, life_.attempt, at->tries});
    }
  }

  void happen(std::vector<Happening> together) {
    const auto fact_of = [&](const Happening& one) {
      return fact::TaskEnded{
          ref(one.who), life_.attempt, task(one.who).tries, ending_for(one.what)};
    };
    std::vector<fact::TaskEnded> ends;
    for (const Happening& one : together) {
      if (one.who == "stop")
        apply(fact::CancelAsked{"ann"});
      else if (one.who == "preempted")
        apply(fact::Preempted{plain("a job of higher priority")});
      else if (one.who != "job")
        ends.push_back(fact_of(one));
    }
    std::ranges::sort(ends,
                      [&](const auto& a, const auto& b) { return comes_before(now_, a, now_, b); });
    for (const fact::TaskEnded& end : ends) apply(end);
    settle();
    place();
  }

  /// Everyone told to stop does; whoever was quicker is simply not there any more.
  void settle() {
    for (const StopTask& stop : std::exchange(unanswered_, {})) {
      Ending ending = stopped(stop.reason);
      ending.exit_code = 143;
      apply(fact::TaskEnded{stop.task, stop.attempt, stop.tries, ending});
    }
  }

  JobSpec spec_;
  SiteRules rules_;
  Time now_ = from_millis(1'700'000'000'000);
  Time begin_ = now_;
  JobLife life_;
  std::set<std::string> mute_;
  std::vector<TaskRef> to_start_;
  std::vector<StopTask> unanswered_;
  std::map<std::tuple<TaskRef, int, int>, Time> stops_;
  std::set<std::tuple<TaskRef, int, int>> ended_;
  std::map<TaskRef, Time> holds_;
  std::vector<std::int64_t> waits_;
};

SiteRules rules_for(const YAML::Node& job) {
  SiteRules rules;
  if (job["site_hold"].IsDefined()) rules.max_debug_hold = Seconds{job["site_hold"].as<int>()};
  return rules;
}

class Scenario : public ::testing::TestWithParam<std::size_t> {};

TEST_P(Scenario, EndsAsTheModelSays) {
  const YAML::Node job = data()["scenarios"][GetParam()];
  SCOPED_TRACE(job["about"].Scalar() + ": " + job["happens"].Scalar());
  World world(read_job(job), rules_for(job));
  world.play(read_attempts(job["happens"].Scalar()));
  const JobLife& life = world.life();

  const std::vector<std::string> ends = split(job["ends"].Scalar(), '@');
  EXPECT_EQ(to_word(life.state), ends[0]);
  if (ends.size() > 1) {
    ASSERT_TRUE(life.decided_at);
    EXPECT_EQ(world.second(*life.decided_at), std::stoi(ends[1]));
  }
  for (const auto& expected : job["tasks"]) {
    const std::string name = expected.first.Scalar();
    const std::vector<std::string> state = split(expected.second.Scalar(), '@');
    EXPECT_EQ(to_word(world.task(name).state), state[0]) << name;
    if (state.size() > 1) {
      EXPECT_EQ(world.stopped_at(name), std::stoi(state[1])) << name;
    } else if (state[0] == "stopped") {
      EXPECT_EQ(world.stopped_at(name), world.second(*life.decided_at)) << name;
    }
  }
  for (const auto& expected : job["tries"]) {
    EXPECT_EQ(world.task(expected.first.Scalar()).tries + 1, expected.second.as<int>());
  }
  for (const auto& expected : job["held"]) {
    const std::string name = expected.first.Scalar();
    EXPECT_EQ(world.held_until(name), expected.second.as<int>());
    EXPECT_EQ(world.second(world.task(name).ended_at.value()), expected.second.as<int>());
  }
  if (job["attempts"]) EXPECT_EQ(life.attempt + 1, job["attempts"].as<int>());
  if (job["counted"]) EXPECT_EQ(life.retries.counted, job["counted"].as<int>());
  if (job["rule"]) EXPECT_EQ(life.decision.rule, job["rule"].Scalar());
  if (job["message"]) EXPECT_EQ(life.decision.message.text(), job["message"].Scalar());
  if (job["class"]) EXPECT_EQ(to_word(life.decision.failure), job["class"].Scalar());
  if (job["exit_code"]) EXPECT_EQ(life.decision.exit_code, job["exit_code"].as<int>());
  if (job["decided_by"]) EXPECT_EQ(life.decision.task, world.ref(job["decided_by"].Scalar()));
  if (job["waits"]) {
    ASSERT_FALSE(world.waits().empty());
    for (const std::int64_t wait : world.waits()) {
      EXPECT_GE(wait, job["waits"][0].as<int>());
      EXPECT_LE(wait, job["waits"][1].as<int>());
    }
  }
  if (job["resumable"]) {
    world.apply(fact::ResumeAsked{"ann"});
    EXPECT_EQ(life.state, JobState::Queued);
    EXPECT_EQ(life.attempt, 1);
  }
}

std::string name_of_test(const std::string& about, std::size_t number) {
  std::string name = (number < 10 ? "0" : "") + std::to_string(number) + "_";
  for (const char c : about) name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(Completion,
                         Scenario,
                         ::testing::Range<std::size_t>(0, data()["scenarios"].size()),
                         [](const auto& info) {
                           const YAML::Node job = data()["scenarios"][info.param];
                           return name_of_test(job["about"].Scalar(), job["id"].as<std::size_t>());
                         });

TEST(Completion, EveryNumberedScenarioIsThere) {
  std::set<int> ids;
  for (const auto& scenario : data()["scenarios"]) ids.insert(scenario["id"].as<int>());
  EXPECT_EQ(ids.size(), 48u);
  EXPECT_EQ(*ids.rbegin(), 48);
}

struct Row {
  std::size_t row;
  std::size_t settings;
};
std::vector<Row> truth_table_rows() {
  std::vector<Row> rows;
  const YAML::Node table = data()["truth_table"]["rows"];
  for (std::size_t r = 0; r < table.size(); ++r) {
    for (std::size_t s = 0; s < table[r]["settings"].size(); ++s) rows.push_back({r, s});
  }
  return rows;
}

class TruthTable : public ::testing::TestWithParam<Row> {};

TEST_P(TruthTable, Holds) {
  const YAML::Node table = data()["truth_table"];
  const YAML::Node row = table["rows"][GetParam().row];
  YAML::Node job = YAML::Clone(row["settings"][GetParam().settings]);
  YAML::Node role = job["role"].IsDefined() ? job["role"] : YAML::Node(YAML::NodeType::Map);
  role["count"] = 3;
  job["roles"]["w"] = role;
  for (std::size_t column = 0; column < table["outcomes"].size(); ++column) {
    const std::string outcomes = table["outcomes"][column].Scalar();
    const std::string expected = row["expect"][column].Scalar();
    SCOPED_TRACE(outcomes + " " + expected);
    std::vector<Happening> happenings;
    for (int i = 0; i < 3; ++i) {
      const char outcome = outcomes[static_cast<std::size_t>(i)];
      if (outcome == '.') continue;
      happenings.push_back({"w" + std::to_string(i), outcome == '+' ? "0" : "1", i + 1});
    }
    World world(read_job(job), {});
    world.play({happenings});
    const JobLife& life = world.life();
    if (expected == "go") {
      EXPECT_EQ(life.state, JobState::Running);
      continue;
    }
    EXPECT_EQ(life.state, expected[0] == 'S' ? JobState::Succeeded : JobState::Failed);
    ASSERT_TRUE(life.decided_at);
    EXPECT_EQ(world.second(*life.decided_at), expected[1] - '0');
  }
}

INSTANTIATE_TEST_SUITE_P(
    Completion, TruthTable, ::testing::ValuesIn(truth_table_rows()), [](const auto& info) {
      const YAML::Node row = data()["truth_table"]["rows"][info.param.row];
      return name_of_test(row["settings"][info.param.settings]["about"].Scalar(), info.index + 1);
    });

}  // namespace
}  // namespace ty::model
