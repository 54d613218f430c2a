#include "control/controller.h"

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

#include "control/cluster/queue_move.h"
#include "control/messages.h"
#include "rt/run_on.h"

namespace ty::control {

namespace asio = boost::asio;

namespace {

constexpr std::size_t kManyWaiting = 256;
constexpr Millis kLookForSpace{1000};

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
      space_(parts.space),
      rules_(parts.rules),
      host_ports_(parts.engine.capabilities().host_ports),
      saved_(parts.io, boost::asio::steady_timer::time_point::max()),
      wake_(parts.io),
      engine_threads_(4),
      tasks_(parts.io.get_executor()) {}

Controller::~Controller() { engine_threads_.join(); }

// What happens to one job

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
  live.changed_in = applied_generation_;
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

void Controller::set_deadline(LiveJob& live) {
  if (live.deadline) deadlines_.erase({*live.deadline, live.job.id});
  live.deadline = model::is_final(live.job.life.state) ? std::nullopt
                                                       : progress(live).next_deadline(clock_.now());
  if (live.deadline) deadlines_.insert({*live.deadline, live.job.id});
}

// The loop

asio::awaitable<void> Controller::run() {
  while (!stopping_) {
    apply_reports();
    fire_deadlines();
    if (plan_wanted_ || (next_look_ && *next_look_ <= clock_.now())) {
      // Without space a start would only fail, and cost the job one of its tries.
      if (may_start())
        plan();
      else
        next_look_ = clock_.now() + kLookForSpace;
    }
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

// What people ask for

void Controller::admit(model::Job job, HeldSpec spec) {
  // At once, on the caller's thread: who is told of the job may ask for its log before we come to
  // it.
  board_.open(job.id);
  // Also at once: a hundred submits at the same time are a hundred, not none so far.
  waiting_.add(job.owner);
  auto here = [this, job = std::move(job), spec = std::move(spec)]() mutable {
    // Two answers to one idempotent submit, or a wish that came with the admission, may be here
    // first.
    if (find(job.id) != nullptr || stopping_) return waiting_.remove(job.owner);
    LiveJob& live = add(std::move(job), std::move(spec));
    live.is_counted = true;
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
  if (live == nullptr) co_return fail(Errc::NotFound, say::job_over());
  apply(*live, fact, clock_.now());
  // Also where nothing changed: an earlier wish that made it so may still be on its way to the
  // disk, and the answer promises that it is there. `live` may be gone after this.
  co_return co_await wait_saved(live->changed_in);
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
    co_return fail(Errc::Conflict, say::only_waiting_jobs_move());
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
  co_return co_await wait_saved(live->changed_in);
}

asio::awaitable<Result<void>> Controller::wait_saved(std::uint64_t generation) {
  while (saved_generation_ < generation) {
    if (failed_generation_ >= generation)
      co_return fail(store_errc_, say::done_not_stored({.why = store_problem_}));
    co_await saved_.async_wait(asio::as_tuple(asio::use_awaitable));
  }
  co_return Result<void>{};
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
