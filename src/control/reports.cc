#include <algorithm>
#include <boost/asio/post.hpp>
#include <utility>

#include "control/controller.h"
#include "control/messages.h"
#include "model/failure.h"
#include "model/task_note.h"

/// What the engine tells the controller: tasks that began and ended, warnings, GPUs that broke.
namespace ty::control {

namespace asio = boost::asio;

void Controller::report(engine::TaskReport report) {
  asio::post(io_, [this, report = std::move(report)]() mutable { take_report(std::move(report)); });
}

void Controller::take_report(engine::TaskReport report) {
  reports_.push_back(std::move(report));
  wake();
}

void Controller::apply_reports() {
  std::vector<engine::TaskReport> ended;
  for (engine::TaskReport& report : std::exchange(reports_, {})) {
    LiveJob* live = find(report.key.job);
    if (live == nullptr) continue;
    if (report.what == engine::TaskReport::What::Preparing) {
      live->progress[report.key.task] = std::move(report.progress);
      continue;
    }
    live->progress.erase(report.key.task);
    take_warnings(*live, report);
    if (report.what == engine::TaskReport::What::Ended) {
      ended.push_back(std::move(report));
    } else {
      const model::TaskKey& key = report.key;
      apply(*live,
            model::fact::TaskStarted{.task = key.task, .attempt = key.attempt, .tries = key.tries},
            when(*live, report));
    }
  }
  // What ended at one moment has an order too.
  const auto fact_of = [](const engine::TaskReport& r) {
    return model::fact::TaskEnded{
        .task = r.key.task, .attempt = r.key.attempt, .tries = r.key.tries, .ending = r.ending};
  };
  std::ranges::sort(ended, [&](const engine::TaskReport& a, const engine::TaskReport& b) {
    if (a.key.job != b.key.job) return a.key.job < b.key.job;
    return model::comes_before(a.at, fact_of(a), b.at, fact_of(b));
  });
  for (engine::TaskReport& report : ended) {
    board_.ended(report.key);
    if (const auto lost = lost_gpus_.extract(report.key)) {
      report.ending = model::lost(lost.mapped(), model::Reason::GpuLost);
    }
    LiveJob& live = *find(report.key.job);
    apply(live, fact_of(report), when(live, report));
  }
}

/// When it happened by our clock: what an engine saw is stamped by the machine's, which somebody
/// may have set meanwhile. Nothing happens before the attempt had its place, and nothing later than
/// now.
Time Controller::when(const LiveJob& live, const engine::TaskReport& report) const {
  const Time now = clock_.now();
  const Time earliest = std::min(live.job.life.placed_at.value_or(live.job.life.queued_at), now);
  return std::clamp(report.at - clock_.wall_ahead(), earliest, now);
}

/// A limit that could not be set and the like: told once per job, in its timeline.
void Controller::take_warnings(LiveJob& live, const engine::TaskReport& report) {
  const bool is_first_word = live.task(report.key.task).state == model::TaskState::Starting;
  model::Effects effects;
  for (const Message& warning : report.warnings) {
    if (!is_first_word || std::ranges::count(live.warnings, warning) > 0) continue;
    live.warnings.push_back(warning);
    effects.notes.push_back(model::task_note("task.warning", *live.spec, report.key, warning));
  }
  if (!effects.notes.empty()) after_change(live, effects);
}

/// Tasks on a GPU that broke are ended; their end then says why (`apply_reports`).
void Controller::leave_broken_gpus() {
  for (const engine::NodeInfo& node : engine_.nodes()) {
    for (std::size_t gpu = 0; gpu < node.gpus.size(); ++gpu) {
      if (node.gpus[gpu].healthy) continue;
      for (auto& [id, live] : live_) {
        for (const model::Task& task : live->job.life.tasks) {
          const bool is_on_it = holds_a_place(task.state) && task.placement &&
                                task.placement->node == node.name &&
                                std::ranges::count(task.placement->gpus, static_cast<int>(gpu)) > 0;
          if (!is_on_it) continue;
          model::TaskKey key{
              .job = id, .attempt = live->job.life.attempt, .task = task.ref, .tries = task.tries};
          Message why = say::gpu_lost({.index = gpu,
                                       .node = node.name,
                                       .model = node.gpus[gpu].model,
                                       .why = node.gpus[gpu].problem});
          if (!lost_gpus_.emplace(key, std::move(why)).second) continue;
          tasks_.spawn("stop", ask_engine_to_stop(std::move(key), Millis{0}));
        }
      }
    }
  }
}

}  // namespace ty::control
