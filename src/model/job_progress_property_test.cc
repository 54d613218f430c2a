#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "model/failure.h"
#include "model/impl/life_view.h"
#include "model/job_progress.h"
#include "model/spec_json.h"
#include "model/words.h"

/// Random jobs in a random world: an engine that starts, ends, loses and stops tasks in any order,
/// reports late and twice, and people who change their minds. What must hold then always holds.
namespace ty::model {
namespace {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}
  int below(int n) { return static_cast<int>(engine_() % static_cast<std::uint64_t>(n)); }
  bool one_in(int n) { return below(n) == 0; }
  template <class T>
  T pick(std::initializer_list<T> choices) {
    return *(choices.begin() + below(static_cast<int>(choices.size())));
  }

 private:
  std::mt19937_64 engine_;
};

std::vector<Policy> random_policies(Dice& dice) {
  std::vector<Policy> policies;
  for (int n = dice.one_in(3) ? 1 + dice.below(2) : 0; n > 0; --n) {
    Policy policy{.action = static_cast<PolicyAction>(dice.below(8))};
    if (dice.one_in(4))
      policy.exit_code = 1 + dice.below(2);
    else
      policy.events = {static_cast<PolicyEvent>(dice.below(8))};
    if (dice.one_in(3)) policy.delay = Seconds{dice.below(40)};
    policies.push_back(policy);
  }
  return policies;
}

RoleSpec random_role(Dice& dice, int number) {
  RoleSpec role{.name = std::string(1, static_cast<char>('a' + number)),
                .count = 1 + dice.below(4)};
  const int count = static_cast<int>(role.count);
  RoleCompletion& done = role.completion;
  if (dice.one_in(3))
    done.min_failed = std::nullopt;
  else
    done.min_failed = 1 + dice.below(count);
  if (dice.one_in(2)) done.min_succeeded = 1 + dice.below(count);
  done.ends_job = dice.one_in(3);
  if (dice.one_in(5)) done.decider = dice.below(count);
  done.need = dice.below(count + 1);
  if (dice.one_in(3)) role.restart.budget = dice.below(3);
  if (dice.one_in(6)) role.restart.on = RestartOn::Any;
  role.restart.lost = dice.one_in(3);
  if (dice.one_in(4)) role.min_available = dice.below(count + 1);
  if (dice.one_in(6)) role.task_limit = Seconds{20 + dice.below(30)};
  role.policies = random_policies(dice);
  if (number > 0 && dice.one_in(3)) {
    role.after.push_back({.role = std::string(1, static_cast<char>('a' + dice.below(number))),
                          .when = dice.pick({AfterWhen::Started, AfterWhen::Succeeded}),
                          .any = dice.one_in(2)});
  }
  return role;
}

JobSpec random_spec(Dice& dice) {
  JobSpec spec;
  for (int n = 1 + dice.below(3), i = 0; i < n; ++i) spec.roles.push_back(random_role(dice, i));
  if (dice.one_in(3)) spec.min_available = dice.below(static_cast<int>(task_count(spec)) + 1);
  spec.completion.at_end = dice.pick({AtEnd::Succeed, AtEnd::CheckRole, AtEnd::CheckJob});
  if (dice.one_in(4)) spec.completion.min_succeeded = 1 + dice.below(3);
  spec.completion.need = dice.below(3);
  if (dice.one_in(3)) spec.completion.linger = Seconds{60};
  spec.retry.budget = dice.below(3);
  spec.retry.platform_cap = 3;
  if (dice.one_in(3)) spec.retry.on.clear();
  if (dice.one_in(4)) spec.retry.exit_codes = {1};
  spec.policies = random_policies(dice);
  if (dice.one_in(4)) spec.time_limit = Seconds{50 + dice.below(200)};
  if (dice.one_in(6)) spec.wait_limit = Seconds{100 + dice.below(1000)};
  if (dice.one_in(4)) spec.debug_hold = Seconds{30};
  return spec;
}

Ending random_ending(Dice& dice) {
  switch (dice.below(10)) {
    case 0:
      return lost(plain("gone"));
    case 1:
      return lost(plain("evicted"), Reason::Evicted);
    case 2:
      return fault(Reason::StartFailed, plain("no start"));
    case 3:
      return killed_by(9);
    case 4:
      return out_of_memory(1, 1);
    case 5:
      return exited(1);
    case 6:
      return exited(2);
    case 7:
      return out_of_time(Seconds{1});
    default:
      return exited(0);
  }
}

using Try = std::tuple<int, TaskRef, int>;  // attempt, task, try

class World {
 public:
  explicit World(std::uint64_t seed)
      : dice_(seed), spec_(random_spec(dice_)), life_(JobProgress::begin(spec_, now_)) {}

  /// A while of anything at all.
  void live() {
    for (int step = 20 + dice_.below(150); step > 0; --step) {
      switch (dice_.below(14)) {
        case 0:
        case 1:
          place();
          break;
        case 2:
        case 3:
          report_some_start();
          break;
        case 4:
        case 5:
        case 6:
          end_something(random_ending(dice_));
          break;
        case 7:
          answer_some_stop();
          break;
        case 8:
        case 9:
          pass_time();
          break;
        case 10:
          say_again();
          break;
        case 11:
          say_nonsense();
          break;
        case 12:
          if (dice_.one_in(6)) wish();
          break;
        default:
          now_ += Millis{dice_.below(5000)};
      }
    }
  }

  /// The engine does its duty from here on: what starts ends well, and every stop is answered.
  void settle() {
    for (int round = 0; round < 3000 && !is_final(life_.state); ++round) {
      // A policy may pause it each time; a person has only so much patience.
      if (life_.state == JobState::Paused && round < 1000)
        apply(fact::ResumeAsked{"ann"});
      else if (life_.state == JobState::Paused)
        apply(fact::CancelAsked{"ann"});
      place();
      while (!silent_.empty()) report_some_start();
      while (!unanswered_.empty()) answer_some_stop();
      if (!running_.empty())
        end_something(exited(0));
      else
        pass_time();
    }
  }

  void apply(const Fact& fact) {
    const JobLife before = life_;
    history_.emplace_back(fact, now_);
    const Effects effects = JobProgress(spec_, life_, rules_, kSeed).apply(fact, now_);
    check(before, effects);
    for (const TaskRef task : effects.start) {
      const Try key{life_.attempt, task, at(life_, task).tries};
      expect(started_.insert(key).second, "a try starts once");
      for (const Try& other : running_) {
        expect(std::get<1>(other) != task, "no two tries of a task run at once");
      }
      running_.insert(key);
      silent_.insert(key);
    }
    for (const StopTask& stop : effects.stop) {
      const Try key{stop.attempt, stop.task, stop.tries};
      expect(started_.contains(key), "only what was started is stopped");
      expect(stopped_.insert(key).second, "a try is stopped once");
      if (running_.contains(key)) unanswered_.insert(key);
    }
    for (const EndedTry& ended : effects.ended) {
      const Try key{ended.attempt, ended.task.ref, ended.task.tries};
      expect(started_.contains(key), "only what was started ends");
      expect(ended_.insert(key).second, "a try ends once");
      expect(is_final(ended.task.state), "an ended try has an outcome");
    }
  }

  const JobLife& life() const { return life_; }
  const std::vector<std::string>& broken() const { return broken_; }
  std::string spec() const { return to_json(spec_); }

  bool replays_the_same() const {
    JobLife again = JobProgress::begin(spec_, begin_);
    for (const auto& [fact, when] : history_) {
      JobProgress(spec_, again, rules_, kSeed).apply(fact, when);
    }
    return again == life_;
  }

 private:
  static constexpr std::uint64_t kSeed = 99;

  void expect(bool holds, const char* what) {
    if (!holds) broken_.emplace_back(what);
  }
  static const Task& at(const JobLife& life, TaskRef task) {
    return life.tasks[position_of(life, task).value()];
  }

  void check(const JobLife& before, const Effects& effects) {
    expect(effects.changed == !(before == life_), "`changed` tells the truth");
    std::vector<TaskRef> differ;
    for (std::size_t i = 0; i < life_.tasks.size(); ++i) {
      if (!(life_.tasks[i] == before.tasks[i])) differ.push_back(life_.tasks[i].ref);
    }
    expect(std::ranges::includes(effects.changed_tasks, differ), "no changed task is left out");
    if (is_final(before.state)) {
      expect(
          before == life_ && effects.start.empty() && effects.stop.empty() && effects.notes.empty(),
          "nothing leaves a final state");
    }
    expect((life_.state == JobState::Stopping) == life_.ending_as.has_value(),
           "Stopping has an aim");
    expect(is_final(life_.state) == life_.ended_at.has_value(), "an end has a time");
    if (!is_placed(life_.state)) {
      for (const Task& task : life_.tasks)
        expect(!is_alive(task.state), "no task outlives the attempt");
    }
    if (is_final(life_.state)) {
      for (const Task& task : life_.tasks)
        expect(is_final(task.state), "a final job has final tasks");
    }
    if (life_.state == JobState::Queued) {
      for (const Task& task : life_.tasks) {
        expect(task.state == TaskState::Waiting, "a queued job has not begun");
      }
    }
    if (effects.changed)
      expect(before.state == life_.state || !effects.notes.empty(), "a move is noted");
  }

  void place() {
    const auto wanted = JobProgress(spec_, life_, rules_, kSeed).to_place(now_);
    fact::Placed placed;
    for (const TaskRef task : wanted) placed.tasks.push_back({task, {.node = "n"}});
    if (spec_.min_available == 0 && placed.tasks.size() > 1) placed.tasks.resize(1);
    if (!placed.tasks.empty()) apply(placed);
  }

  Try any_of(const std::set<Try>& tries) {
    return *std::next(tries.begin(), dice_.below(static_cast<int>(tries.size())));
  }

  void report_some_start() {
    if (silent_.empty()) return;
    const Try key = any_of(silent_);
    silent_.erase(key);
    apply(fact::TaskStarted{std::get<1>(key), std::get<0>(key), std::get<2>(key)});
  }

  void end(const Try& key, Ending ending) {
    running_.erase(key);
    unanswered_.erase(key);
    if (!dice_.one_in(4)) silent_.erase(key);  // else its start is reported after its end
    apply(fact::TaskEnded{std::get<1>(key), std::get<0>(key), std::get<2>(key), std::move(ending)});
  }
  void end_something(Ending ending) {
    if (!running_.empty()) end(any_of(running_), std::move(ending));
  }
  void answer_some_stop() {
    if (!unanswered_.empty()) end(any_of(unanswered_), stopped());
  }

  void pass_time() {
    const auto next = JobProgress(spec_, life_, rules_, kSeed).next_deadline(now_);
    if (!next) return;
    now_ = std::max(now_, *next);
    apply(fact::Tick{});
    const auto again = JobProgress(spec_, life_, rules_, kSeed).next_deadline(now_);
    expect(!again || *again > now_, "a tick takes what is due");
  }

  void say_again() {
    if (history_.empty()) return;
    const Fact fact =
        history_[static_cast<std::size_t>(dice_.below(static_cast<int>(history_.size())))].first;
    if (std::holds_alternative<fact::TaskStarted>(fact)) return apply(fact);
    const auto* ended = std::get_if<fact::TaskEnded>(&fact);
    if (ended == nullptr) return;
    const Try key{ended->attempt, ended->task, ended->tries};
    const bool old = ended_.contains(key);
    const JobLife before = life_;
    running_.erase(key);  // an earlier report about nothing may have become news
    unanswered_.erase(key);
    apply(fact);
    if (old) expect(before == life_, "an old report changes nothing");
  }

  void say_nonsense() {
    const JobLife before = life_;
    apply(fact::TaskEnded{{dice_.below(5), 4 + dice_.below(5)}, life_.attempt, 0, exited(1)});
    apply(fact::TaskStarted{{0, 0}, life_.attempt + 1, 0});
    apply(fact::TaskEnded{{0, 0}, life_.attempt, life_.tasks[0].tries + 1, exited(0)});
    expect(before == life_, "reports about nothing change nothing");
  }

  void wish() {
    switch (dice_.below(8)) {
      case 0:
        return apply(fact::CancelAsked{"ann"});
      case 1:
        return apply(fact::PauseAsked{"ann"});
      case 2:
        return apply(fact::ResumeAsked{"ann"});
      case 3:
        return apply(fact::Preempted{plain("others")});
      case 4:
        return apply(fact::GangTimeout{});
      case 5:
        return apply(fact::LimitSet{Seconds{1 + dice_.below(500)}, "ann"});
      case 6:
        return apply(fact::Unplaceable{plain("full")});
      default:
        return apply(fact::Impossible{plain("no such machine")});
    }
  }

  Dice dice_;
  JobSpec spec_;
  SiteRules rules_;
  Time begin_ = from_millis(1'700'000'000'000);
  Time now_ = begin_;
  JobLife life_;
  std::vector<std::pair<Fact, Time>> history_;
  std::set<Try> started_, stopped_, ended_, running_, silent_, unanswered_;
  std::vector<std::string> broken_;
};

std::string report(const World& world) {
  std::string text = world.spec() + "\n" + std::string(to_word(world.life().state));
  for (const std::string& broken : world.broken()) text += "\n" + broken;
  return text;
}

RC_GTEST_PROP(JobProgress, PromisesHoldWhateverHappens, ()) {
  const auto seed = *rc::gen::noShrink(rc::gen::arbitrary<std::uint64_t>());
  for (std::uint64_t i = 0; i < 10; ++i) {
    World world(seed + i);
    world.live();
    if (!world.broken().empty()) RC_FAIL(report(world));
    RC_ASSERT(world.replays_the_same());
  }
}

RC_GTEST_PROP(JobProgress, EveryJobEndsWhenItsTasksEndAndStopsAreAnswered, ()) {
  const auto seed = *rc::gen::noShrink(rc::gen::arbitrary<std::uint64_t>());
  for (std::uint64_t i = 0; i < 10; ++i) {
    World world(seed + i);
    world.live();
    world.settle();
    if (!world.broken().empty() || !is_final(world.life().state)) RC_FAIL(report(world));
    RC_ASSERT(world.replays_the_same());
  }
}

}  // namespace
}  // namespace ty::model
