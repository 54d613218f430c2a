#pragma once
#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "auth/permission.h"
#include "control/cluster/cluster_service.h"
#include "control/cluster/node_view.h"
#include "control/disk_space.h"
#include "control/event_hub.h"
#include "control/jobs/launcher.h"
#include "control/jobs/waiting_jobs.h"
#include "control/live_job.h"
#include "control/task_board.h"
#include "engine/engine.h"
#include "rt/blocking_pool.h"
#include "rt/task_group.h"
#include "sched/scheduler.h"
#include "store/job_store.h"

namespace ty::control {

/// How the machines are shared, in the scheduler's words.
struct SiteShare {
  std::int64_t version = 0;  ///< of the rules it comes from; an older one changes nothing
  sched::Policy policy;
  std::vector<sched::Account> accounts;
  std::vector<sched::Reservation> reservations;
  std::set<std::string> draining;  ///< names of nodes
};

/// Moves jobs through their lives. It alone changes job state: facts (people's wishes, engine
/// reports, time) go through `model::JobProgress`, the new life is stored, and only then is
/// anything started or stopped. So a restart at any point continues from the store and from what
/// the engine still runs. One exception: while the store cannot write, what was asked to stop is
/// stopped first and stored when it can be; nothing is started then.
///
/// All of its state belongs to one thread, that of `io`; the functions that may be called from any
/// thread go there by themselves and answer when what they did is on disk.
class Controller {
 public:
  struct Parts {
    boost::asio::io_context& io;
    store::JobStore& jobs;
    engine::Engine& engine;
    Launcher& launcher;
    EventHub& hub;
    TaskBoard& board;
    const Clock& clock;
    const DiskSpace& space;
    model::SiteRules rules;
  };
  explicit Controller(Parts parts);
  ~Controller();

  /// Loads every job that is not final and takes back what the engine still runs. Once, before
  /// `run`.
  boost::asio::awaitable<Result<void>> recover();
  /// Until `stop`.
  boost::asio::awaitable<void> run();
  /// Finishes storing what has happened and returns; tasks go on without us.
  boost::asio::awaitable<void> stop();

  /// A job that was just stored. Any thread.
  void admit(model::Job job, HeldSpec spec);
  /// How many jobs of this person wait or are paused. Any thread.
  std::int64_t waiting_of(UserId owner) const { return waiting_.of(owner); }
  /// The engine's nodes are not what they were. Any thread.
  void nodes_changed();
  /// The site's rules are now these. Any thread.
  void set_share(SiteShare share);
  /// What the engine saw. Any thread, never blocks.
  void report(engine::TaskReport report);

  /// A wish of a person's; answers once its consequences are stored, also those of an equal wish
  /// before it. NotFound when the job is final or gone. DiskFull or Unavailable: it is being done
  /// and kept in memory, but the store could not write it yet. Any thread.
  boost::asio::awaitable<Result<void>> tell(JobId job, model::Fact fact);
  /// Returns once the job is final and stored. Any thread.
  boost::asio::awaitable<void> wait_final(JobId job);

  /// An administrator puts a waiting job right before another, or with none to the very front.
  /// Answers once that is stored. Any thread.
  boost::asio::awaitable<Result<void>> move(JobId job, std::optional<JobId> before, std::string by);

  /// Why it waits and where it stands.
  boost::asio::awaitable<sched::Explanation> explain(JobId job);
  /// The same with the estimate and what would start it now: found out on `pool`, not here, because
  /// it takes a look into the future.
  boost::asio::awaitable<sched::Explanation> explain_fully(JobId job, rt::BlockingPool& pool);
  /// What `explain_fully` would say of a request if it were handed in now. Nothing is kept of it.
  boost::asio::awaitable<sched::Explanation> forecast(sched::Request request,
                                                      rt::BlockingPool& pool);
  /// Whose those of these jobs are that have not ended: what it takes to judge who may see them.
  boost::asio::awaitable<std::map<JobId, auth::Resource>> owners_of(std::vector<JobId> jobs);
  boost::asio::awaitable<std::vector<sched::QueueEntry>> queue(std::size_t offset,
                                                               std::size_t limit);
  boost::asio::awaitable<std::vector<NodeView>> nodes();

  /// What tasks of the job that are being started wait for, where that takes long: "pulling …".
  boost::asio::awaitable<std::map<model::TaskRef, Message>> progress_of(JobId job);

  /// Where these tasks run, as far as they do.
  boost::asio::awaitable<std::map<model::TaskKey, model::Placement>> placements_of(
      std::vector<model::TaskKey> keys);

  boost::asio::awaitable<ServerLoad> load();

 private:
  LiveJob* find(const JobId& job);
  LiveJob& add(model::Job job, HeldSpec spec);
  model::JobProgress progress(LiveJob& live);
  void apply(LiveJob& live, const model::Fact& fact, Time at);
  void after_change(LiveJob& live, const model::Effects& effects);
  void set_deadline(LiveJob& live);
  void fire_deadlines();
  void wake();
  boost::asio::awaitable<void> sleep();
  boost::asio::awaitable<Result<void>> tell_here(JobId job, model::Fact fact);
  boost::asio::awaitable<Result<void>> move_here(JobId job,
                                                 std::optional<JobId> before,
                                                 std::string by);
  boost::asio::awaitable<Result<void>> wait_saved(std::uint64_t generation);
  bool may_start() const { return store_problem_.empty() && space_.has_room(); }
  sched::Explanation with_disk(sched::Explanation explanation) const;

  // placing.cc
  std::vector<sched::Node> nodes_to_share() const;
  void ask_for_places(LiveJob& live);
  void count_waiting(LiveJob& live);
  void free_places(LiveJob& live, const std::vector<model::EndedTry>& ended);
  void plan();
  void place(const sched::Start& start);

  // acting.cc
  boost::asio::awaitable<void> save();
  boost::asio::awaitable<Result<void>> save_batch(std::vector<JobId> batch);
  void keep_unsaved(std::vector<std::pair<JobId, Unsaved>> batch);
  void act_unsaved(LiveJob& live, Unsaved& unsaved);
  void tell_limit(LiveJob& live);
  std::optional<Time> wall_deadline(LiveJob& live);
  void act(const JobId& job, Unsaved done);
  std::shared_ptr<const engine::Attempt> attempt_of(LiveJob& live,
                                                    std::vector<model::TaskRef> gang);
  void start_task(LiveJob& live,
                  model::TaskRef ref,
                  const std::shared_ptr<const engine::Attempt>& attempt);
  void stop_task(LiveJob& live, const model::StopTask& stop);
  boost::asio::awaitable<void> launch(model::TaskKey key,
                                      std::shared_ptr<const engine::Attempt> attempt);
  boost::asio::awaitable<void> ask_engine_to_stop(model::TaskKey key, Millis grace);
  boost::asio::awaitable<void> ask_engine_to_forget(model::TaskKey key);
  boost::asio::awaitable<void> move_deadline(model::TaskKey key, std::optional<Time> deadline);
  void forget_job(const JobId& job);

  // reports.cc
  void take_report(engine::TaskReport report);
  void apply_reports();
  Time when(const LiveJob& live, const engine::TaskReport& report) const;
  void take_warnings(LiveJob& live, const engine::TaskReport& report);
  void leave_broken_gpus();

  // recovery.cc
  void occupy_places(LiveJob& live);
  void resume_task(const model::TaskKey& key, bool missing);

  boost::asio::io_context& io_;
  store::JobStore& jobs_;
  engine::Engine& engine_;
  Launcher& launcher_;
  EventHub& hub_;
  TaskBoard& board_;
  const Clock& clock_;
  const DiskSpace& space_;
  model::SiteRules rules_;
  const bool
      host_ports_;  ///< tasks share the ports of their machine: fixed ones must be free there

  sched::Scheduler scheduler_;
  std::int64_t share_version_ = -1;
  std::set<std::string> draining_;
  std::unordered_map<JobId, std::unique_ptr<LiveJob>> live_;
  WaitingJobs waiting_;
  std::vector<engine::TaskReport> reports_;  ///< arrived since the last turn of the loop
  std::vector<JobId> dirty_;
  std::set<std::pair<Time, JobId>> deadlines_;
  std::optional<Time> next_look_;
  /// Full explanations of just now: they take a look into the future each, and pages ask often.
  std::unordered_map<JobId, std::pair<Time, sched::Explanation>> explained_;
  bool plan_wanted_ = false;

  /// Starts that were handed to the engine and not yet answered; with a grace: stop it as soon as
  /// it has begun.
  std::map<model::TaskKey, std::optional<Millis>> launching_;

  std::map<model::TaskKey, Message> lost_gpus_;  ///< being stopped because of their GPU: why

  std::uint64_t applied_generation_ = 1;  ///< facts applied now are saved with this one
  std::uint64_t saved_generation_ = 0;
  std::uint64_t failed_generation_ = 0;  ///< tried, not saved; its jobs go with a later one
  /// Never expires: cancelled whenever a batch was tried, which wakes everyone who waits for that.
  boost::asio::steady_timer saved_;
  boost::asio::steady_timer wake_;
  bool woken_ = false;
  bool stopping_ = false;
  Message store_problem_;  ///< empty: the last save worked
  Errc store_errc_ = Errc::Unavailable;

  boost::asio::thread_pool engine_threads_;
  rt::TaskGroup tasks_;
};

}  // namespace ty::control
