#include "control/controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

#include "control/capacity.h"
#include "control/queue_move.h"
#include "model/failure.h"
#include "model/names.h"
#include "model/task_note.h"
#include "rt/log.h"
#include "rt/run_on.h"

namespace ty::control {

namespace asio = boost::asio;
using model::TaskState;

namespace {

constexpr std::size_t kManyWaiting = 256;

bool holds_a_place(TaskState state) {
  return state == TaskState::Starting || state == TaskState::Running ||
         state == TaskState::Stopping;
}

std::vector<int> flat(const model::Placement& placement) {
  std::vector<int> all;
  for (const auto& ports : placement.ports) all.insert(all.end(), ports.begin(), ports.end());
  return all;
}

model::JobLife without_tasks(const model::JobLife& life) {
  model::JobLife copy;
  copy.state = life.state;
  copy.ending_as = life.ending_as;
  copy.attempt = life.attempt;
  copy.retries = life.retries;
  copy.decision = life.decision;
  copy.queued_at = life.queued_at;
  copy.not_before = life.not_before;
  copy.placed_at = life.placed_at;
  copy.started_at = life.started_at;
  copy.decided_at = life.decided_at;
  copy.stop_at = life.stop_at;
  copy.ended_at = life.ended_at;
  copy.ran = life.ran;
  copy.time_limit = life.time_limit;
  return copy;
}

/// Back-off jitter that is the same for a job however often the server restarts.
std::uint64_t jitter_seed(const JobId& job) { return std::hash<std::string>{}(job.str()); }

}  // namespace

Controller::Controller(Parts parts)
    : io_(parts.io),
      jobs_(parts.jobs),
      engine_(parts.engine),
      launcher_(parts.launcher),
      hub_(parts.hub),
      board_(parts.board),
      clock_(parts.clock),
      rules_(parts.rules),
      host_ports_(parts.engine.capabilities().runtime == model::RuntimeKind::Process),
      has_networks_(parts.engine.capabilities().runtime == model::RuntimeKind::Docker),
      saved_(parts.io, boost::asio::steady_timer::time_point::max()),
      wake_(parts.io),
      engine_threads_(4),
      tasks_(parts.io.get_executor()) {}

Controller::~Controller() { engine_threads_.join(); }

// What happens to one job ------------------------------------------------------------------------

LiveJob* Controller::find(const JobId& job) {
  const auto at = live_.find(job);
  return at == live_.end() ? nullptr : at->second.get();
}

LiveJob& Controller::add(model::Job job, HeldSpec spec) {
  auto live = std::make_unique<LiveJob>(LiveJob{.job = std::move(job), .spec = std::move(spec)});
  LiveJob& added = *live;
  live_.insert_or_assign(added.job.id, std::move(live));
  board_.open(added.job.id);
  return added;
}

model::JobProgress Controller::progress(LiveJob& live) {
  return {*live.spec, live.job.life, rules_, jitter_seed(live.job.id)};
}

void Controller::apply(LiveJob& live, const model::Fact& fact, Time at) {
  const model::Effects effects = progress(live).apply(fact, at);
  if (!effects.changed && effects.notes.empty()) return;
  after_change(live, effects);
  if (std::holds_alternative<model::fact::LimitSet>(fact)) live.unsaved->limit_moved = true;
}

void Controller::after_change(LiveJob& live, const model::Effects& effects) {
  if (!live.unsaved) {
    live.unsaved.emplace();
    dirty_.push_back(live.job.id);
  }
  Unsaved& unsaved = *live.unsaved;
  unsaved.tasks.insert(effects.changed_tasks.begin(), effects.changed_tasks.end());
  unsaved.ended.insert(unsaved.ended.end(), effects.ended.begin(), effects.ended.end());
  unsaved.notes.insert(unsaved.notes.end(), effects.notes.begin(), effects.notes.end());
  unsaved.start.insert(unsaved.start.end(), effects.start.begin(), effects.start.end());
  unsaved.stop.insert(unsaved.stop.end(), effects.stop.begin(), effects.stop.end());

  free_places(live, effects.ended);
  ask_for_places(live);
  set_deadline(live);
  wake();
}

void Controller::free_places(LiveJob& live, const std::vector<model::EndedTry>& ended) {
  for (const model::EndedTry& over : ended) {
    // A task on debug hold has ended for the engine, not for the job: it keeps its place.
    if (holds_a_place(live.task(over.task.ref).state) &&
        live.task(over.task.ref).tries == over.task.tries)
      continue;
    if (over.task.placement) ports_.give_back(flat(*over.task.placement));
    scheduler_.release(live.job.id, over.task.ref, clock_.now());
    plan_wanted_ = true;
  }
}

void Controller::ask_for_places(LiveJob& live) {
  const model::JobState state = live.job.life.state;
  // A place in the queue is given for one stretch of waiting.
  if (state != model::JobState::Queued) live.place.reset();
  if (model::is_final(state) || state == model::JobState::Stopping ||
      state == model::JobState::Paused) {
    scheduler_.withdraw_job(live.job.id);
    if (model::is_final(state)) scheduler_.release_job(live.job.id, clock_.now());
    plan_wanted_ = true;
    return;
  }
  const std::vector<model::TaskRef> tasks = progress(live).to_place(clock_.now());
  if (tasks.empty()) return;
  for (sched::Request& request : sched::requests_for(live.job, *live.spec, tasks, host_ports_)) {
    if (request.id.part == 0) request.place = live.place;
    scheduler_.enqueue(std::move(request));
  }
  plan_wanted_ = true;
}

void Controller::set_deadline(LiveJob& live) {
  if (live.deadline) deadlines_.erase({*live.deadline, live.job.id});
  live.deadline = model::is_final(live.job.life.state) ? std::nullopt
                                                       : progress(live).next_deadline(clock_.now());
  if (live.deadline) deadlines_.insert({*live.deadline, live.job.id});
}

// The loop
// -----------------------------------------------------------------------------------------

asio::awaitable<void> Controller::run() {
  while (!stopping_) {
    apply_reports();
    fire_deadlines();
    if (plan_wanted_ || (next_look_ && *next_look_ <= clock_.now())) plan();
    if (dirty_.empty())
      co_await sleep();
    else
      co_await save();
  }
  if (!dirty_.empty()) co_await save();
}

void Controller::wake() {
  woken_ = true;
  wake_.cancel();
}

asio::awaitable<void> Controller::sleep() {
  if (!woken_) {
    std::optional<Time> until = next_look_;
    if (!deadlines_.empty())
      until = until ? std::min(*until, deadlines_.begin()->first) : deadlines_.begin()->first;
    wake_.expires_after(until ? std::clamp(*until - clock_.now(), Millis{1}, Millis{60'000})
                              : Millis{60'000});
    co_await wake_.async_wait(asio::as_tuple(asio::use_awaitable));
  }
  woken_ = false;
}

void Controller::fire_deadlines() {
  const Time now = clock_.now();
  while (!deadlines_.empty() && deadlines_.begin()->first <= now) {
    const JobId job = deadlines_.begin()->second;
    LiveJob* live = find(job);
    deadlines_.erase(deadlines_.begin());
    if (live == nullptr) continue;
    live->deadline.reset();
    apply(*live, model::fact::Tick{}, now);
    ask_for_places(*live);  // a back-off may be over although nothing about the job changed
    set_deadline(*live);
    if (live->deadline && *live->deadline <= now) {
      // Whatever it is waiting for did not happen at its time; look again soon instead of at once,
      // for ever.
      deadlines_.erase({*live->deadline, job});
      live->deadline = now + Millis{1000};
      deadlines_.insert({*live->deadline, job});
    }
  }
}

void Controller::plan() {
  plan_wanted_ = false;
  explained_.clear();
  const sched::Plan plan = scheduler_.plan(clock_.now());
  next_look_ = plan.next_look;
  for (const sched::Preempt& preempt : plan.preempt) {
    if (LiveJob* live = find(preempt.job))
      apply(*live, model::fact::Preempted{preempt.why}, clock_.now());
  }
  for (const sched::Start& start : plan.starts) place(start);
}

void Controller::place(const sched::Start& start) {
  LiveJob* live = find(start.id.job);
  if (live == nullptr) return;
  model::fact::Placed placed;
  for (const sched::Assigned& assigned : start.tasks)
    placed.tasks.push_back({assigned.task, draw_ports(*live, assigned)});
  apply(*live, placed, clock_.now());
}

model::Placement Controller::draw_ports(LiveJob& live, const sched::Assigned& assigned) {
  const model::RoleSpec& role = live.spec->roles[static_cast<std::size_t>(assigned.task.role)];
  // On a network of their own tasks find each other by name, whatever addresses they will get.
  const bool has_name = has_networks_ && role.network == model::Network::Bridge;
  model::Placement placement{
      .node = assigned.node,
      .address = has_name ? model::task_host(*live.spec, assigned.task) : std::string("127.0.0.1"),
      .gpus = assigned.gpus,
      .gpu_type = assigned.gpu_type};
  for (const model::Port& port : model::all_ports(role)) {
    std::vector<int> numbers;
    const bool wishes = host_ports_ && model::only_declares_ports(*live.spec);
    if (wishes && port.first != 0 && port.count == 1 &&
        ports_.claim(static_cast<int>(port.first))) {
      numbers.push_back(static_cast<int>(port.first));
    } else if (port.first != 0 && !wishes) {
      // The scheduler keeps our own tasks apart; a port that a stranger holds shows when the task
      // is launched.
      for (std::int64_t i = 0; i < port.count; ++i)
        numbers.push_back(static_cast<int>(port.first + i));
      ports_.adopt(numbers);
    } else if (auto drawn = ports_.draw(static_cast<int>(port.count))) {
      numbers = *std::move(drawn);
    }
    placement.ports.push_back(std::move(numbers));
  }
  if (live.job.tasks_total > 1 && !has_networks_) {
    // Where peers meet: a port for TF_CONFIG and one for MASTER_PORT, behind the declared ones.
    if (auto drawn = ports_.draw(2)) placement.ports.push_back(*std::move(drawn));
  }
  return placement;
}

// Storing, then acting
// ------------------------------------------------------------------------------

asio::awaitable<void> Controller::save() {
  std::vector<JobId> batch = std::exchange(dirty_, {});
  const std::uint64_t generation = applied_generation_++;
  co_await save_batch(std::move(batch));
  saved_generation_ = generation;
  saved_.cancel();
}

asio::awaitable<void> Controller::save_batch(std::vector<JobId> batch) {
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
    change.notes = std::move(unsaved.notes);
    changes.push_back(std::move(change));
    done.emplace_back(id, std::move(unsaved));
  }
  if (changes.empty()) co_return;

  // What happened has happened: it is stored, however long the disk stays full. Nothing is acted on
  // before.
  Result<std::vector<Result<store::Saved>>> stored = co_await jobs_.save(changes);
  while (!stored) {
    if (store_problem_ != stored.error().message)
      log::error("store.failing problem={}", stored.error().message);
    store_problem_ = stored.error().message;
    asio::steady_timer pause(io_, Millis{500});
    co_await pause.async_wait(asio::as_tuple(asio::use_awaitable));
    stored = co_await jobs_.save(changes);
  }
  if (!store_problem_.empty()) log::info("store.recovered after={}", store_problem_);
  store_problem_.clear();

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
}

void Controller::forget_job(const JobId& id) {
  LiveJob* live = find(id);
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
    auto snapshot = std::make_shared<LaunchSnapshot>();
    snapshot->job = live.job;
    snapshot->spec = live.spec.shared();
    snapshot->now = clock_.now();
    snapshot->deadline = progress(live).time_limit_at(snapshot->now);
    for (const model::TaskRef ref : done.start) start_task(live, ref, snapshot);
  }
  for (const model::StopTask& stop : done.stop) stop_task(live, stop);
  if (done.limit_moved) {
    const std::optional<Time> deadline = progress(live).time_limit_at(clock_.now());
    for (const model::Task& task : live.job.life.tasks) {
      if (!holds_a_place(task.state)) continue;
      model::TaskKey key{
          .job = id, .attempt = live.job.life.attempt, .task = task.ref, .tries = task.tries};
      tasks_.spawn("limit", move_deadline(std::move(key), deadline));
    }
  }
  if (model::is_final(live.job.life.state) && !live.unsaved) forget_job(id);
}

void Controller::start_task(LiveJob& live,
                            model::TaskRef ref,
                            const std::shared_ptr<const LaunchSnapshot>& snapshot) {
  const model::Task& task = live.task(ref);
  model::TaskKey key{
      .job = live.job.id, .attempt = live.job.life.attempt, .task = ref, .tries = task.tries};
  if (!holds_a_place(task.state) || launching_.contains(key)) return;
  launching_.emplace(key, std::nullopt);
  board_.began(key);
  tasks_.spawn("launch", launch(std::move(key), snapshot));
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
                                         std::shared_ptr<const LaunchSnapshot> snapshot) {
  auto work = [](Controller& self,
                 model::TaskKey key,
                 std::shared_ptr<const LaunchSnapshot> snapshot) -> asio::awaitable<Result<void>> {
    TY_CO_TRY(engine::Launch launch, self.launcher_.make(*snapshot, key));
    co_return co_await self.engine_.start(std::move(launch));
  };
  const Result<void> started = co_await rt::run_on(asio::make_strand(engine_threads_),
                                                   work(*this, key, std::move(snapshot)));

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
    engine::TaskReport report{
        .key = key, .what = engine::TaskReport::What::Ended, .at = clock_.now()};
    report.ending = model::fault(port      ? model::Reason::PortConflict
                                 : refused ? model::Reason::CodeFailed
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

// What the engine says
// --------------------------------------------------------------------------------

/// A limit that could not be set and the like: told once per job, in its timeline.
void Controller::take_warnings(LiveJob& live, const engine::TaskReport& report) {
  const bool is_first_word = live.task(report.key.task).state == TaskState::Starting;
  model::Effects effects;
  for (const std::string& warning : report.warnings) {
    if (!is_first_word || !live.warnings.insert(warning).second) continue;
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
          std::string why = fmt::format("GPU {} of {} ({}) cannot be used any more: {}",
                                        gpu,
                                        node.name,
                                        node.gpus[gpu].model,
                                        node.gpus[gpu].problem);
          if (!lost_gpus_.emplace(key, std::move(why)).second) continue;
          tasks_.spawn("stop", ask_engine_to_stop(std::move(key), Millis{0}));
        }
      }
    }
  }
}

void Controller::nodes_changed() {
  auto here = [this] {
    if (stopping_) return;  // the engine may be gone
    scheduler_.set_nodes(nodes_to_share());
    leave_broken_gpus();
    plan_wanted_ = true;
    wake();
  };
  asio::post(io_, std::move(here));
}

std::vector<sched::Node> Controller::nodes_to_share() const {
  std::vector<sched::Node> nodes = scheduler_nodes(engine_);
  for (sched::Node& node : nodes) node.draining = draining_.contains(node.name);
  return nodes;
}

void Controller::set_share(SiteShare share) {
  auto here = [this, share = std::move(share)]() mutable {
    if (stopping_ || share.version < share_version_) return;
    share_version_ = share.version;
    draining_ = std::move(share.draining);
    scheduler_.set_policy(share.policy);
    scheduler_.set_accounts(std::move(share.accounts));
    scheduler_.set_reservations(std::move(share.reservations));
    scheduler_.set_nodes(nodes_to_share());
    explained_.clear();
    plan_wanted_ = true;
    wake();
  };
  asio::post(io_, std::move(here));
}

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
            std::min(report.at, clock_.now()));
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
    apply(*find(report.key.job), fact_of(report), std::min(report.at, clock_.now()));
  }
}

// What people ask for
// ------------------------------------------------------------------------------------

void Controller::admit(model::Job job, HeldSpec spec) {
  // At once, on the caller's thread: who is told of the job may ask for its log before we come to
  // it.
  board_.open(job.id);
  auto here = [this, job = std::move(job), spec = std::move(spec)]() mutable {
    // Two answers to one idempotent submit, or a wish that came with the admission, may be here
    // first.
    if (find(job.id) != nullptr || stopping_) return;
    LiveJob& live = add(std::move(job), std::move(spec));
    ask_for_places(live);
    set_deadline(live);
    // What starts at once needs its spec in a moment; behind a long queue it does not.
    if (scheduler_.waiting() > kManyWaiting) live.spec.pack();
    wake();
  };
  asio::post(io_, std::move(here));
}

asio::awaitable<Result<void>> Controller::tell(JobId job, model::Fact fact) {
  return rt::run_on(io_.get_executor(), tell_here(std::move(job), std::move(fact)));
}

asio::awaitable<Result<void>> Controller::tell_here(JobId job, model::Fact fact) {
  LiveJob* live = find(job);
  if (live == nullptr) co_return fail(Errc::NotFound, "the job has ended");
  apply(*live, fact, clock_.now());
  // `live` may be gone after this.
  if (live->unsaved) co_await wait_saved(applied_generation_);
  co_return Result<void>{};
}

asio::awaitable<Result<void>> Controller::move(JobId job,
                                               std::optional<JobId> before,
                                               std::string by) {
  return rt::run_on(io_.get_executor(),
                    move_here(std::move(job), std::move(before), std::move(by)));
}

asio::awaitable<Result<void>> Controller::move_here(JobId job,
                                                    std::optional<JobId> before,
                                                    std::string by) {
  LiveJob* live = find(job);
  if (live == nullptr || live->job.life.state != model::JobState::Queued)
    co_return fail(Errc::Conflict, "only a job that waits can be moved in the queue");
  std::optional<sched::RequestId> other;
  if (before) other = sched::RequestId{.job = *before};
  auto place = scheduler_.move_before({.job = job}, other);
  if (!place) co_return fail(Errc::Conflict, std::move(place.error().message));
  live->place = *place;
  // The event is the audit, and what a restarted server finds the place in (recovery.cc).
  model::Effects effects;
  effects.notes.push_back(
      {.kind = std::string(kMoved), .actor = std::move(by), .data = moved_to_json(*place, before)});
  after_change(*live, effects);
  plan_wanted_ = true;
  co_await wait_saved(applied_generation_);
  co_return Result<void>{};
}

asio::awaitable<void> Controller::wait_saved(std::uint64_t generation) {
  while (saved_generation_ < generation) {
    co_await saved_.async_wait(asio::as_tuple(asio::use_awaitable));
  }
}

asio::awaitable<void> Controller::wait_final(JobId job) {
  auto here = [](Controller& self, JobId job) -> asio::awaitable<void> {
    while (self.find(job) != nullptr) {
      co_await self.saved_.async_wait(asio::as_tuple(asio::use_awaitable));
    }
  };
  return rt::run_on(io_.get_executor(), here(*this, std::move(job)));
}

asio::awaitable<void> Controller::stop() {
  auto here = [](Controller& self) -> asio::awaitable<void> {
    self.stopping_ = true;
    self.wake();
    co_await self.tasks_.stop();
  };
  return rt::run_on(io_.get_executor(), here(*this));
}

}  // namespace ty::control
