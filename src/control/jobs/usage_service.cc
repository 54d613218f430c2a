#include "control/jobs/usage_service.h"

#include <algorithm>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>

#include "control/controller.h"
#include "control/logs/log_service.h"
#include "engine/engine.h"
#include "rt/blocking_pool.h"
#include "rt/log.h"
#include "telemetry/task_records.h"
#include "telemetry/usage_file.h"

namespace ty::control {

namespace asio = boost::asio;

namespace {

constexpr std::chrono::milliseconds kLookEvery{2000};
constexpr int kRestForWork = 20;
constexpr std::size_t kMostTasks = 1000;

UsagePoint view_of(telemetry::UsagePoint point) {
  return {.usage = std::move(point.usage), .cpus = point.cpus};
}

}  // namespace

UsageService::UsageService(Parts parts) : p_(parts), records_(p_.engine.records()) {}

asio::awaitable<void> UsageService::run() {
  asio::steady_timer pause(co_await asio::this_coro::executor);
  for (;;) {
    const auto began = std::chrono::steady_clock::now();
    co_await look();
    const auto took = std::chrono::steady_clock::now() - began;
    pause.expires_after(
        std::max<std::chrono::steady_clock::duration>(kLookEvery, took * kRestForWork));
    co_await pause.async_wait(asio::use_awaitable);
  }
}

asio::awaitable<void> UsageService::look() {
  auto ask = [this] { return p_.engine.usage(); };
  std::vector<engine::UsageReport> reports = co_await p_.pool.run(std::move(ask));
  if (!reports.empty()) co_await add_gpus(reports);
  std::erase_if(reports, [](const engine::UsageReport& report) {
    return !report.usage.cpu_us && !report.usage.memory && report.usage.gpus.empty();
  });
  auto write = [this, reports = std::move(reports)] { keep(reports); };
  co_await p_.pool.run(std::move(write));
}

asio::awaitable<void> UsageService::add_gpus(std::vector<engine::UsageReport>& reports) {
  std::map<std::string, std::vector<engine::Gpu>> gpus;
  for (engine::NodeInfo& node : p_.engine.nodes()) {
    if (!node.gpus.empty()) gpus[node.name] = std::move(node.gpus);
  }
  if (gpus.empty()) co_return;
  std::vector<model::TaskKey> keys;
  for (const engine::UsageReport& report : reports) keys.push_back(report.key);
  const auto placements = co_await p_.controller.placements_of(std::move(keys));
  for (engine::UsageReport& report : reports) {
    const auto placed = placements.find(report.key);
    if (placed == placements.end()) continue;
    const std::vector<engine::Gpu>& there = gpus[placed->second.node];
    for (const int index : placed->second.gpus) {
      const auto at = static_cast<std::size_t>(index);
      if (at >= there.size() || there[at].uuid.empty()) continue;
      model::GpuUsage use{.index = index, .memory_used = there[at].memory_used};
      if (there[at].load_percent >= 0) use.load_percent = there[at].load_percent;
      report.usage.gpus.push_back(use);
    }
  }
}

void UsageService::keep(const std::vector<engine::UsageReport>& reports) {
  std::vector<const engine::UsageReport*> due;
  {
    const std::lock_guard lock(mutex_);
    std::map<model::TaskKey, Seen> still;
    for (const engine::UsageReport& report : reports) {
      Seen seen;
      if (auto known = seen_.extract(report.key)) seen = std::move(known.mapped());
      if (seen.first == Time{}) seen.first = report.usage.at;
      seen.before = std::exchange(seen.latest, report.usage);
      const Millis interval = telemetry::usage_interval(report.usage.at - seen.first);
      // A tick more or less must not double the distance.
      if (!seen.kept || report.usage.at - *seen.kept >= interval - kLookEvery / 2) {
        seen.kept = report.usage.at;
        due.push_back(&report);
      }
      still.emplace(report.key, std::move(seen));
    }
    seen_ = std::move(still);
  }
  for (const engine::UsageReport* report : due) {
    const auto kept = records_->add_usage(report->key, report->usage);
    // Not found: the job was deleted meanwhile.
    const bool has_failed = !kept && kept.error().code != Errc::NotFound;
    if (has_failed && !is_failing_) log::warn("usage.not_kept problem={}", kept.error().message);
    is_failing_ = has_failed;
  }
}

Result<TaskUsageView> UsageService::view(TaskUsageView begun, const UsageQuery& query) {
  if (query.points > 0) {
    TY_TRY(const auto all, records_->usage(begun.key, query.since));
    for (telemetry::UsagePoint& point : telemetry::usage_curve(all, query.points))
      begun.points.push_back(view_of(std::move(point)));
  }
  {
    const std::lock_guard lock(mutex_);
    if (const auto running = seen_.find(begun.key); running != seen_.end()) {
      const Seen& seen = running->second;
      const bool has_two = seen.before.at != Time{};
      begun.latest = has_two ? view_of(telemetry::usage_curve({seen.before, seen.latest}, 2).back())
                             : UsagePoint{.usage = seen.latest};
      return begun;
    }
  }
  TY_TRY(const auto last, records_->last_usage(begun.key));
  if (last) begun.latest = UsagePoint{.usage = *last};
  return begun;
}

asio::awaitable<Result<std::vector<TaskUsageView>>> UsageService::of_job(auth::Principal who,
                                                                         std::string job,
                                                                         UsageQuery query) {
  TY_CO_TRY(const JobLogs logs, co_await p_.logs.find(std::move(who), std::move(job)));
  std::optional<model::TaskRef> only;
  if (!query.task.empty()) {
    TY_CO_TRY(only, logs.find_task(query.task));
  }
  const int attempt = query.attempt.value_or(logs.job.life.attempt);
  std::map<model::TaskRef, model::TaskKey> last;
  for (const model::TaskKey& key : logs.tries) {
    if (key.attempt != attempt || (only && key.task != *only)) continue;
    const auto [at, is_new] = last.try_emplace(key.task, key);
    if (!is_new && key.tries > at->second.tries) at->second = key;
    if (last.size() >= kMostTasks) break;
  }
  auto read = [&]() -> Result<std::vector<TaskUsageView>> {
    std::vector<TaskUsageView> views;
    for (const auto& [task, key] : last) {
      const auto role = static_cast<std::size_t>(task.role);
      TaskUsageView begun{
          .task = logs.label(task), .key = key, .limits = logs.spec.roles[role].resources};
      TY_TRY(TaskUsageView seen, view(std::move(begun), query));
      views.push_back(std::move(seen));
    }
    return views;
  };
  co_return co_await p_.pool.run(std::move(read));
}

}  // namespace ty::control
