#pragma once
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "model/job.h"

namespace ty::model {

/// What JobProgress was told. Times come with the call, never from a clock; with reports of an
/// engine goes the moment the engine saw, not the moment of hearing.
namespace fact {
/// Where the scheduler put tasks that wait to be placed: all of a gang, or at least its minimum, or
/// single ones of a job that runs.
struct PlacedTask {
  TaskRef task;
  Placement placement;
};
struct Placed {
  std::vector<PlacedTask> tasks;
};
struct TaskStarted {
  TaskRef task;
  int attempt;
  int tries;
};
struct TaskEnded {
  TaskRef task;
  int attempt;
  int tries;
  Ending ending;
};
struct CancelAsked {
  std::string by;
};
struct PauseAsked {
  std::string by;
};
struct ResumeAsked {
  std::string by;
};
struct Preempted {
  Message why;
};
/// No machine could ever run it.
struct Impossible {
  Message why;
};
/// Some of its tasks run, others find no place: what the policy event `unplaceable` is for.
struct Unplaceable {
  Message why;
};
struct GangTimeout {};  ///< placed, but not all tasks came up in time
struct LimitSet {
  std::optional<Seconds> time_limit;
  std::string by;
};
struct Tick {};  ///< time passed: limits, lingering, holds
}  // namespace fact
using Fact = std::variant<fact::Placed,
                          fact::TaskStarted,
                          fact::TaskEnded,
                          fact::CancelAsked,
                          fact::PauseAsked,
                          fact::ResumeAsked,
                          fact::Preempted,
                          fact::Impossible,
                          fact::Unplaceable,
                          fact::GangTimeout,
                          fact::LimitSet,
                          fact::Tick>;

/// Reports of one moment have an order too: failures first, then role, then index (job-model §6.1).
/// For sorting a batch of reports before applying them one by one.
bool comes_before(Time at_a, const fact::TaskEnded& a, Time at_b, const fact::TaskEnded& b);

struct StopTask {
  TaskRef task;
  int attempt = 0;
  int tries = 0;
  Reason reason = Reason::JobEnded;
};

/// One line for the timeline; `control` adds id, job and actor.
struct Note {
  std::string kind;
  std::string actor;  ///< empty: the platform
  JsonText data = "{}";
};

/// A try that is over, as it stood then; its task in JobLife may be waiting for the next try
/// already.
struct EndedTry {
  int attempt = 0;
  Task task;
};

/// What must happen because of a fact. The new JobLife is stored together with the notes first;
/// only then is anything started or stopped.
struct Effects {
  std::vector<TaskRef> start;  ///< their command begins now; placement and `tries` are in JobLife
  std::vector<StopTask> stop;
  std::vector<EndedTry> ended;  ///< for the history; once stored, the engine may forget them
  std::vector<Note> notes;
  std::vector<TaskRef> changed_tasks;  ///< rows of JobLife::tasks that differ from before
  bool changed = false;                ///< JobLife differs from before
};

/// Times and caps that a site sets and a spec does not.
struct SiteRules {
  Seconds max_debug_hold{604'800};
  std::optional<Seconds> max_time_limit;
  Seconds gang_timeout{600};
};

/// One job's life as a pure state machine: facts go in, decisions come out (job-model §6, §8). No
/// clock, no I/O; the same facts at the same times give the same life. Facts that no longer apply
/// (a late report of an earlier try, a second cancel) change nothing.
class JobProgress {
 public:
  /// A job just handed in: Queued, every task Waiting.
  static JobLife begin(const JobSpec& spec, Time now);

  JobProgress(const JobSpec& spec, JobLife& life, const SiteRules& rules, std::uint64_t jitter_seed)
      : spec_(spec), life_(life), rules_(rules), jitter_seed_(jitter_seed) {}

  Effects apply(const Fact& fact, Time now);

  /// Tasks that should be placed now: the whole gang of a Queued job that is due, or single Waiting
  /// tasks of a job that runs already (restarts, roles whose `after` is met, tasks beyond
  /// min_available).
  std::vector<TaskRef> to_place(Time now) const;

  /// When something happens by itself if nothing else does first: then apply a Tick, and ask
  /// `to_place` again. May lie before `now` when a Tick is overdue. Ask again after each fact.
  std::optional<Time> next_deadline(Time now) const;

  /// When the time limit strikes if the job ran without a break from `now` on, or from where it
  /// runs already. What engines enforce and tasks find in TRAINYARD_DEADLINE.
  std::optional<Time> time_limit_at(Time now) const;

 private:
  const JobSpec& spec_;
  JobLife& life_;
  const SiteRules& rules_;
  std::uint64_t jitter_seed_;
};

}  // namespace ty::model
