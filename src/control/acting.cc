#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

#include "control/controller.h"
#include "model/failure.h"
#include "rt/log.h"
#include "rt/run_on.h"

/// The controller stores what has happened, and only then asks the engine for what follows from it.
namespace ty::control {

namespace asio = boost::asio;

namespace {

/// After a save that failed.
constexpr Millis kTryAgain{500};

/// All of it but the tasks, which are saved one by one: those of a big job would cost more than the
/// rest. No field is named here, so none can be forgotten.
model::JobLife without_tasks(model::JobLife& life) {
  std::vector<model::Task> tasks = std::exchange(life.tasks, {});
  model::JobLife copy = life;
  life.tasks = std::move(tasks);
  return copy;
}

}  // namespace

asio::awaitable<void> Controller::save() {
  std::vector<JobId> batch = std::exchange(dirty_, {});
  const std::uint64_t generation = applied_generation_++;
  const Result<void> saved = co_await save_batch(std::move(batch));
  if (saved) {
    saved_generation_ = generation;
    if (!store_problem_.empty()) log::info("store.recovered after={}", store_problem_);
    store_problem_ = {};
    saved_.cancel();
    co_return;
  }
  if (store_problem_ != saved.error().message)
    log::error("store.failing problem={}", saved.error().message);
  store_problem_ = saved.error().message;
  store_errc_ = saved.error().code;
  failed_generation_ = generation;
  saved_.cancel();
  if (stopping_) co_return;
  asio::steady_timer pause(io_, kTryAgain);
  co_await pause.async_wait(asio::as_tuple(asio::use_awaitable));
}

asio::awaitable<Result<void>> Controller::save_batch(std::vector<JobId> batch) {
  std::vector<store::JobChange> changes;
  std::vector<std::pair<JobId, Unsaved>> done;
  changes.reserve(batch.size());
  for (const JobId& id : batch) {
    LiveJob* live = find(id);
    if (live == nullptr || !live->unsaved) continue;
    Unsaved unsaved = *std::exchange(live->unsaved, std::nullopt);
    store::JobChange change{.job = live->job.seq, .version = live->job.version, .at = clock_.now()};
    change.life = without_tasks(live->job.life);
    for (const model::TaskRef ref : unsaved.tasks) change.tasks.push_back(live->task(ref));
    change.ended = unsaved.ended;
    change.notes = unsaved.notes;
    changes.push_back(std::move(change));
    done.emplace_back(id, std::move(unsaved));
  }
  if (changes.empty()) co_return Result<void>{};

  Result<std::vector<Result<store::Saved>>> stored = co_await jobs_.save(std::move(changes));
  if (!stored) {
    keep_unsaved(std::move(done));
    co_return std::unexpected(std::move(stored).error());
  }

  EventId last;
  for (std::size_t i = 0; i < done.size(); ++i) {
    const Result<store::Saved>& saved = (*stored)[i];
    // Only this controller writes job state, so a stale version means that somebody changed the
    // database by hand.
    TY_CHECK(saved.has_value() || saved.error().code != Errc::Conflict, "one writer of job state");
    if (!saved) {
      log::error("job.not_saved job={} problem={}", done[i].first.str(), saved.error().message);
      forget_job(done[i].first);
      continue;
    }
    find(done[i].first)->job.version = saved->version;
    last = std::max(last, saved->last_event);
    act(done[i].first, std::move(done[i].second));
  }
  hub_.announce(last);
  co_return Result<void>{};
}

/// What happened has happened: it is stored with what happens next, however long the disk stays
/// full.
void Controller::keep_unsaved(std::vector<std::pair<JobId, Unsaved>> batch) {
  for (auto& [id, unsaved] : batch) {
    LiveJob& live = *find(id);
    act_unsaved(live, unsaved);
    if (live.unsaved)
      unsaved.add(*std::move(live.unsaved));
    else
      dirty_.push_back(id);
    live.unsaved = std::move(unsaved);
    live.changed_in = applied_generation_;
  }
}

/// Stops do not wait for a disk: whoever filled it may be the very task that is to be stopped. A
/// task whose start is not stored was not started, so that its stop can wait.
void Controller::act_unsaved(LiveJob& live, Unsaved& unsaved) {
  std::erase_if(unsaved.stop, [&](const model::StopTask& stop) {
    if (std::ranges::count(unsaved.start, stop.task) > 0) return false;
    stop_task(live, stop);
    return true;
  });
  if (std::exchange(unsaved.limit_moved, false)) tell_limit(live);
}

void Controller::forget_job(const JobId& id) {
  LiveJob* live = find(id);
  if (live->is_counted) waiting_.remove(live->job.owner);
  scheduler_.withdraw_job(id);
  scheduler_.release_job(id, clock_.now());
  if (live->deadline) deadlines_.erase({*live->deadline, id});
  live_.erase(id);
  board_.close(id);
}

void Controller::act(const JobId& id, Unsaved done) {
  LiveJob& live = *find(id);
  for (const model::EndedTry& over : done.ended) {
    model::TaskKey key{
        .job = id, .attempt = over.attempt, .task = over.task.ref, .tries = over.task.tries};
    tasks_.spawn("forget", ask_engine_to_forget(std::move(key)));
  }
  if (!done.start.empty()) {
    const auto attempt = attempt_of(live, done.start);
    for (const model::TaskRef ref : done.start) start_task(live, ref, attempt);
  }
  for (const model::StopTask& stop : done.stop) stop_task(live, stop);
  if (done.limit_moved) tell_limit(live);
  if (model::is_final(live.job.life.state) && !live.unsaved) forget_job(id);
}

void Controller::tell_limit(LiveJob& live) {
  const std::optional<Time> deadline = wall_deadline(live);
  for (const model::Task& task : live.job.life.tasks) {
    if (!holds_a_place(task.state)) continue;
    model::TaskKey key{.job = live.job.id,
                       .attempt = live.job.life.attempt,
                       .task = task.ref,
                       .tries = task.tries};
    tasks_.spawn("limit", move_deadline(std::move(key), deadline));
  }
}

/// As the engine and the task read it: by the machine's calendar.
std::optional<Time> Controller::wall_deadline(LiveJob& live) {
  const std::optional<Time> deadline = progress(live).time_limit_at(clock_.now());
  if (!deadline) return std::nullopt;
  return *deadline + clock_.wall_ahead();
}

std::shared_ptr<const engine::Attempt> Controller::attempt_of(LiveJob& live,
                                                              std::vector<model::TaskRef> gang) {
  auto attempt = std::make_shared<engine::Attempt>();
  attempt->job = live.job;
  attempt->spec = live.spec.shared();
  attempt->deadline = wall_deadline(live);
  attempt->gang = std::move(gang);
  return attempt;
}

void Controller::start_task(LiveJob& live,
                            model::TaskRef ref,
                            const std::shared_ptr<const engine::Attempt>& attempt) {
  const model::Task& task = live.task(ref);
  model::TaskKey key{
      .job = live.job.id, .attempt = live.job.life.attempt, .task = ref, .tries = task.tries};
  if (!holds_a_place(task.state) || launching_.contains(key)) return;
  launching_.emplace(key, std::nullopt);
  board_.began(key);
  tasks_.spawn("launch", launch(std::move(key), attempt));
}

void Controller::stop_task(LiveJob& live, const model::StopTask& stop) {
  model::TaskKey key{
      .job = live.job.id, .attempt = stop.attempt, .task = stop.task, .tries = stop.tries};
  const Millis grace = live.spec->stop_grace;
  if (const auto at = launching_.find(key); at != launching_.end()) {
    at->second = grace;  // it is on its way to the engine: stopped as soon as the engine has it
  } else {
    tasks_.spawn("stop", ask_engine_to_stop(std::move(key), grace));
  }
}

asio::awaitable<void> Controller::launch(model::TaskKey key,
                                         std::shared_ptr<const engine::Attempt> attempt) {
  auto work = [](Controller& self,
                 model::TaskKey key,
                 std::shared_ptr<const engine::Attempt> attempt,
                 Time now) -> asio::awaitable<Result<void>> {
    TY_CO_TRY(engine::Launch launch, self.launcher_.make(std::move(attempt), key, now));
    co_return co_await self.engine_.start(std::move(launch));
  };
  const Result<void> started = co_await rt::run_on(
      asio::make_strand(engine_threads_), work(*this, key, std::move(attempt), clock_.now()));

  const auto node = launching_.extract(key);
  if (!started) {
    log::warn("task.start_failed job={} task={}.{} problem={}",
              key.job.str(),
              key.task.role,
              key.task.index,
              started.error().message);
    const bool port = started.error().code == Errc::Conflict;
    const bool refused =
        started.error().code == Errc::NotFound || started.error().code == Errc::Invalid;
    const bool not_allowed = started.error().code == Errc::Forbidden;
    engine::TaskReport report{
        .key = key, .what = engine::TaskReport::What::Ended, .at = clock_.now()};
    report.ending = model::fault(port          ? model::Reason::PortConflict
                                 : not_allowed ? model::Reason::BadSpec
                                 : refused     ? model::Reason::CodeFailed
                                               : model::Reason::StartFailed,
                                 started.error().message,
                                 refused);
    take_report(std::move(report));
  } else if (node && node.mapped()) {
    co_await ask_engine_to_stop(key, *node.mapped());
  }
}

asio::awaitable<void> Controller::ask_engine_to_stop(model::TaskKey key, Millis grace) {
  auto stopped = co_await rt::run_on(asio::make_strand(engine_threads_), engine_.stop(key, grace));
  if (!stopped)
    log::error("task.stop_failed job={} problem={}", key.job.str(), stopped.error().message);
}

asio::awaitable<void> Controller::move_deadline(model::TaskKey key, std::optional<Time> deadline) {
  auto moved =
      co_await rt::run_on(asio::make_strand(engine_threads_), engine_.set_deadline(key, deadline));
  if (!moved)
    log::error("task.limit_failed job={} problem={}", key.job.str(), moved.error().message);
}

asio::awaitable<void> Controller::ask_engine_to_forget(model::TaskKey key) {
  auto forgotten = co_await rt::run_on(asio::make_strand(engine_threads_), engine_.forget(key));
  if (!forgotten)
    log::warn("task.forget_failed job={} problem={}", key.job.str(), forgotten.error().message);
}

}  // namespace ty::control
