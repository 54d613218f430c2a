#include "engine/fake/fake_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <tuple>

#include "base/text.h"
#include "engine/messages.h"
#include "model/failure.h"

namespace ty::engine {
namespace {

namespace asio = boost::asio;

std::optional<std::int64_t> number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

/// Durations of job files, and milliseconds besides: tests are in a hurry.
Result<Millis> parse_millis(std::string_view text) {
  if (text.ends_with("ms")) {
    if (const auto value = number(text.substr(0, text.size() - 2))) return Millis{*value};
  }
  TY_TRY(const Seconds duration, parse_duration(text));
  return std::chrono::duration_cast<Millis>(duration);
}

}  // namespace

Result<FakeTask> FakeTask::parse(std::string_view text) {
  FakeTask task;
  task.ending = model::exited(0);
  const std::vector<std::string> all = split(trim(text), ' ');
  std::vector<std::string> words;
  std::copy_if(all.begin(), all.end(), std::back_inserter(words), [](const auto& word) {
    return !word.empty();
  });
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const std::string next = i + 1 < words.size() ? words[i + 1] : "";
    if (word == "run" || word == "start") {
      auto duration = parse_millis(next);
      if (!duration)
        return std::unexpected(
            std::move(duration).error().with_context(say::fake_word({.word = word})));
      if (word == "run") {
        task.run = *duration;
      } else {
        task.start_after = *duration;
      }
      ++i;
    } else if (word == "exit" || word == "signal") {
      const auto value = number(next);
      if (!value) return fail(Errc::Invalid, say::fake_needs_number({.word = word}));
      task.ending = word == "exit" ? model::exited(static_cast<int>(*value))
                                   : model::killed_by(static_cast<int>(*value));
      ++i;
    } else if (word == "oom") {
      task.ending = model::out_of_memory(0, 0);
    } else if (word == "lost") {
      task.ending = model::lost(say::fake_told_to_vanish());
    } else if (word == "never") {
      task.run.reset();
    } else if (word == "stubborn") {
      task.stubborn = true;
    } else if (word == "unstartable") {
      task.unstartable = true;
    } else {
      return fail(Errc::Invalid,
                  say::fake_unknown_word({.word = shorten(word),
                                          .words = Value::Texts{"run",
                                                                "start",
                                                                "exit",
                                                                "signal",
                                                                "oom",
                                                                "lost",
                                                                "never",
                                                                "stubborn",
                                                                "unstartable"}}));
    }
  }
  return task;
}

Result<FakeTask> FakeTask::of(const Launch& launch) {
  for (const model::EnvMap* env : {&launch.role().env, &launch.attempt->spec->env}) {
    const auto found = env->find("FAKE_TASK");
    if (found != env->end() && found->second) return parse(*found->second);
  }
  const std::string text = launch.command.shell == model::Shell::None
                               ? join(launch.command.argv, " ")
                               : launch.command.script;
  constexpr std::string_view kMark = "fake:";
  const std::string_view trimmed = trim(text);
  return trimmed.starts_with(kMark) ? parse(trimmed.substr(kMark.size())) : parse("");
}

FakeWorld::FakeWorld(std::vector<NodeInfo> nodes) : nodes_(std::move(nodes)) {
  if (!nodes_.empty()) return;
  NodeInfo node;
  node.name = node.address = "fake-1";
  node.cpu_milli = 64'000;
  node.memory = std::int64_t{256} << 30;
  node.gpus.assign(8, Gpu{.type = "FAKE", .model = "FAKE"});
  nodes_.push_back(std::move(node));
}

int FakeWorld::starts(const model::TaskKey& key) const {
  const std::lock_guard lock(mutex_);
  const auto found = starts_.find(key);
  return found == starts_.end() ? 0 : found->second;
}

std::vector<model::TaskKey> FakeWorld::running() const {
  const std::lock_guard lock(mutex_);
  std::vector<model::TaskKey> keys;
  for (const auto& [key, entry] : tasks_) {
    if (!entry.ended_reported) keys.push_back(key);
  }
  return keys;
}

void FakeWorld::lose_node(const std::string& node, Time now) {
  const std::lock_guard lock(mutex_);
  for (auto& [key, entry] : tasks_) {
    if (entry.node != node || entry.ended_reported) continue;
    entry.end_at = now;
    entry.ending = model::lost(say::fake_node_failed({.node = node}));
  }
  changed_.notify_all();
}

std::optional<Time> FakeWorld::next_due_locked() const {
  std::optional<Time> next;
  const auto consider = [&next](std::optional<Time> at) {
    if (at && (!next || *at < *next)) next = at;
  };
  for (const auto& [key, entry] : tasks_) {
    if (entry.ended_reported) continue;
    if (!entry.started_reported) consider(entry.start_at);
    consider(entry.end_at);
    consider(entry.deadline);
  }
  return next;
}

FakeEngine::FakeEngine(std::shared_ptr<FakeWorld> world,
                       const Clock& clock,
                       ReportSink sink,
                       Drive drive)
    : world_(std::move(world)), clock_(clock), sink_(std::move(sink)) {
  if (drive == Drive::Thread) thread_ = std::thread([this] { this->drive(); });
}

FakeEngine::~FakeEngine() {
  {
    const std::lock_guard lock(world_->mutex_);
    is_closing_ = true;
  }
  world_->changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

Capabilities FakeEngine::capabilities() const {
  Capabilities able;
  able.runtime = "fake";
  able.images = able.limits = able.isolation = able.own_network = true;
  able.warnings.push_back(say::nothing_really_runs());
  return able;
}

std::vector<NodeInfo> FakeEngine::nodes() const {
  const std::lock_guard lock(world_->mutex_);
  std::vector<NodeInfo> nodes = world_->nodes_;
  for (NodeInfo& node : nodes) node.able = capabilities();
  return nodes;
}

std::optional<Time> FakeEngine::by_our_clock(std::optional<Time> wall) const {
  if (!wall) return std::nullopt;
  return *wall - clock_.wall_ahead();
}

asio::awaitable<Result<void>> FakeEngine::start(Launch launch) {
  auto task = FakeTask::of(launch);
  FakeWorld::Entry entry;
  if (task) {
    if (task->unstartable) co_return fail(Errc::Unavailable, say::fake_told_not_to_start());
    entry.task = *task;
  } else {
    entry.task.ending = model::fault(model::Reason::BadSpec, task.error().message);
  }
  const std::lock_guard lock(world_->mutex_);
  if (world_->tasks_.contains(launch.key)) co_return Result<void>{};
  ++world_->starts_[launch.key];
  entry.node = launch.task().placement->node;
  entry.deadline = by_our_clock(launch.deadline);
  entry.ending = entry.task.ending;
  entry.start_at = clock_.now() + entry.task.start_after;
  if (entry.task.run) entry.end_at = entry.start_at + *entry.task.run;
  world_->tasks_.emplace(launch.key, std::move(entry));
  world_->changed_.notify_all();
  co_return Result<void>{};
}

asio::awaitable<Result<void>> FakeEngine::stop(model::TaskKey key, Millis grace) {
  const std::lock_guard lock(world_->mutex_);
  const auto found = world_->tasks_.find(key);
  if (found == world_->tasks_.end() || found->second.ended_reported) co_return Result<void>{};
  FakeWorld::Entry& entry = found->second;
  const Time at = clock_.now() + (entry.task.stubborn ? grace : Millis{0});
  if (!entry.end_at || at < *entry.end_at) {
    entry.end_at = at;
    entry.ending = model::stopped();
  }
  world_->changed_.notify_all();
  co_return Result<void>{};
}

asio::awaitable<Result<void>> FakeEngine::set_deadline(model::TaskKey key,
                                                       std::optional<Time> deadline) {
  const std::lock_guard lock(world_->mutex_);
  const auto found = world_->tasks_.find(key);
  if (found != world_->tasks_.end()) found->second.deadline = by_our_clock(deadline);
  world_->changed_.notify_all();
  co_return Result<void>{};
}

asio::awaitable<Result<std::vector<model::TaskKey>>> FakeEngine::recover(
    std::vector<model::TaskKey> expected) {
  std::vector<model::TaskKey> unknown;
  {
    const std::lock_guard lock(world_->mutex_);
    std::erase_if(world_->tasks_, [&](const auto& item) {
      return std::find(expected.begin(), expected.end(), item.first) == expected.end();
    });
    for (const model::TaskKey& key : expected) {
      const auto found = world_->tasks_.find(key);
      if (found == world_->tasks_.end()) {
        unknown.push_back(key);
      } else {
        found->second.started_reported = found->second.ended_reported = false;
      }
    }
    world_->changed_.notify_all();
  }
  run_due();
  co_return unknown;
}

asio::awaitable<Result<void>> FakeEngine::forget(model::TaskKey key) {
  const std::lock_guard lock(world_->mutex_);
  const auto found = world_->tasks_.find(key);
  if (found == world_->tasks_.end()) co_return Result<void>{};
  if (!found->second.ended_reported) co_return fail(Errc::Conflict, say::task_still_running());
  world_->tasks_.erase(found);
  co_return Result<void>{};
}

asio::awaitable<Result<void>> FakeEngine::erase(JobId) { co_return Result<void>{}; }

std::vector<UsageReport> FakeEngine::usage() {
  constexpr std::int64_t kMemory = std::int64_t{64} << 20;
  const std::lock_guard lock(world_->mutex_);
  const Time now = clock_.now();
  std::vector<UsageReport> reports;
  for (const auto& [key, entry] : world_->tasks_) {
    if (!entry.started_reported || entry.ended_reported) continue;
    UsageReport report{.key = key};
    report.usage.at = now;
    report.usage.cpu_us = std::chrono::microseconds(now - entry.start_at).count();
    report.usage.memory = report.usage.memory_peak = kMemory;
    reports.push_back(std::move(report));
  }
  return reports;
}

std::optional<Time> FakeEngine::next_due() const {
  const std::lock_guard lock(world_->mutex_);
  return world_->next_due_locked();
}

void FakeEngine::run_due() {
  std::vector<TaskReport> reports;
  {
    const std::lock_guard lock(world_->mutex_);
    const Time now = clock_.now();
    for (auto& [key, entry] : world_->tasks_) {
      if (entry.ended_reported) continue;
      if (entry.deadline && *entry.deadline <= now &&
          (!entry.end_at || *entry.deadline < *entry.end_at)) {
        entry.end_at = *entry.deadline;
        entry.ending = model::out_of_time(
            std::chrono::duration_cast<Seconds>(*entry.deadline - entry.start_at));
      }
      const bool ends = entry.end_at && *entry.end_at <= now;
      if (!entry.started_reported && entry.start_at <= now &&
          (!ends || entry.start_at <= *entry.end_at)) {
        entry.started_reported = true;
        world_->records_->append(key, "fake: started\n", entry.start_at);
        TaskReport report;
        report.key = key;
        report.what = TaskReport::What::Started;
        report.at = entry.start_at + clock_.wall_ahead();
        reports.push_back(std::move(report));
      }
      if (ends) {
        entry.ended_reported = true;
        world_->records_->append(
            key, fmt::format("fake: {}\n", entry.ending.message), *entry.end_at);
        TaskReport report;
        report.key = key;
        report.what = TaskReport::What::Ended;
        report.at = *entry.end_at + clock_.wall_ahead();
        report.ending = entry.ending;
        reports.push_back(std::move(report));
      }
    }
  }
  std::sort(reports.begin(), reports.end(), [](const auto& a, const auto& b) {
    return std::tie(a.at, a.what, a.key) < std::tie(b.at, b.what, b.key);
  });
  for (TaskReport& report : reports) sink_(std::move(report));
}

void FakeEngine::drive() {
  while (true) {
    {
      std::unique_lock lock(world_->mutex_);
      if (is_closing_) return;
      const auto next = world_->next_due_locked();
      if (!next) {
        world_->changed_.wait(lock);
      } else if (*next > clock_.now()) {
        world_->changed_.wait_for(lock, *next - clock_.now());
      }
      if (is_closing_) return;
    }
    run_due();
  }
}

}  // namespace ty::engine
