#include <boost/asio/strand.hpp>
#include <map>
#include <set>

#include "control/cluster/capacity.h"
#include "control/cluster/queue_move.h"
#include "control/controller.h"
#include "control/messages.h"
#include "model/failure.h"
#include "model/spec_json.h"
#include "rt/log.h"
#include "rt/run_on.h"

/// What a server does before anything else: continue from the store and from what the engine still
/// runs.
namespace ty::control {

namespace asio = boost::asio;
using model::TaskState;

namespace {

Result<model::JobSpec> read_spec(const store::PackedSpec& packed) {
  TY_TRY(const std::string json, packed.json());
  return model::spec_from_json(json);
}

}  // namespace

void Controller::occupy_places(LiveJob& live) {
  std::vector<model::TaskRef> refs;
  std::vector<sched::Assigned> assigned;
  for (const model::Task& task : live.job.life.tasks) {
    if (!holds_a_place(task.state) || !task.placement) continue;
    refs.push_back(task.ref);
    assigned.push_back({.task = task.ref,
                        .node = task.placement->node,
                        .gpus = task.placement->gpus,
                        .gpu_type = task.placement->gpu_type});
    engine_.addresses().adopt(*task.placement);
  }
  if (refs.empty()) return;
  const Time since = live.job.life.placed_at.value_or(clock_.now());
  for (const sched::Request& request :
       sched::requests_for(live.job, *live.spec, refs, host_ports_)) {
    std::vector<sched::Assigned> of_request;
    for (const sched::Group& group : request.groups) {
      for (const model::TaskRef ref : group.tasks) {
        of_request.push_back(*std::ranges::find(assigned, ref, &sched::Assigned::task));
      }
    }
    scheduler_.occupy(request, of_request, since);
  }
}

asio::awaitable<Result<void>> Controller::recover() {
  scheduler_.set_nodes(nodes_to_share());

  std::vector<model::Job> jobs;
  auto keep = [&jobs](model::Job job) -> Result<void> {
    jobs.push_back(std::move(job));
    return {};
  };
  TY_CO_DO(jobs_.active(keep));

  std::map<JobSeq, sched::Place> moved;
  auto keep_place = [&moved](JobSeq job, const std::string& data) {
    if (const auto place = moved_from_json(data)) moved[job] = *place;
  };
  TY_CO_DO(jobs_.moves(keep_place));

  std::vector<model::TaskKey> expected;
  for (model::Job& job : jobs) {
    TY_CO_TRY(store::PackedSpec packed, co_await jobs_.packed_spec(job.seq));
    Result<model::JobSpec> spec = read_spec(packed);
    if (!spec) {
      // Going on without it would end its tasks, which may be well.
      co_return fail(
          spec.error().code,
          say::stored_job_unreadable(
              {.job = job.id.str(), .name = job.name, .why = std::move(spec).error().message}));
    }
    LiveJob& live =
        add(std::move(job),
            {std::make_shared<const model::JobSpec>(*std::move(spec)), std::move(packed)});
    if (const auto place = moved.find(live.job.seq); place != moved.end())
      live.place = place->second;
    occupy_places(live);
    for (const model::Task& task : live.job.life.tasks) {
      if (!holds_a_place(task.state)) continue;
      expected.push_back({.job = live.job.id,
                          .attempt = live.job.life.attempt,
                          .task = task.ref,
                          .tries = task.tries});
    }
  }
  // Reports of what is found arrive by `report`, that is on our own thread and after this function
  // has its answer.
  auto unknown = co_await rt::run_on(asio::make_strand(engine_threads_), engine_.recover(expected));
  if (!unknown) co_return std::unexpected(std::move(unknown).error());
  const std::set<model::TaskKey> missing(unknown->begin(), unknown->end());
  for (const model::TaskKey& key : expected) resume_task(key, missing.contains(key));

  for (auto& [id, live] : live_) {
    ask_for_places(*live);
    set_deadline(*live);
    if (live->job.life.state == model::JobState::Queued) live->spec.pack();
  }
  log::info(
      "recovered jobs={} tasks={} not_begun={}", live_.size(), expected.size(), missing.size());
  co_return Result<void>{};
}

void Controller::resume_task(const model::TaskKey& key, bool missing) {
  LiveJob& live = *find(key.job);
  const model::Task& task = live.task(key.task);
  board_.began(key);
  if (!missing) {
    // The stop may have been stored but not sent: send it again, once more does no harm.
    if (task.state == TaskState::Stopping) {
      stop_task(live, {.task = key.task, .attempt = key.attempt, .tries = key.tries});
    }
    return;
  }
  switch (task.state) {
    case TaskState::Starting: {
      // Its start was stored and the server ended before the engine had it: this is the same start,
      // not a second one.
      start_task(live, key.task, attempt_of(live, {key.task}));
      break;
    }
    case TaskState::Stopping:
      report({.key = key,
              .what = engine::TaskReport::What::Ended,
              .at = clock_.now(),
              .ending = model::stopped()});
      break;
    default:
      report({.key = key,
              .what = engine::TaskReport::What::Ended,
              .at = clock_.now(),
              .ending = model::lost(say::nothing_left_of_task())});
  }
}

}  // namespace ty::control
