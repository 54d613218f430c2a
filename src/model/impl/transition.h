#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "model/impl/life_view.h"
#include "model/job_machine.h"
#include "model/job_progress.h"

namespace ty::model {

/// One fact taken in: changes the life and collects what must happen. Lives for one
/// `JobProgress::apply`. The files: transition.cc what people and the clock say,
/// transition_tasks.cc starts and ends of tasks, transition_policy.cc policies,
/// transition_verdict.cc how an attempt is decided and ends.
class Transition {
 public:
  Transition(
      const JobSpec& spec, JobLife& life, const SiteRules& rules, std::uint64_t seed, Time now)
      : spec_(spec), life_(life), rules_(rules), seed_(seed), now_(now), order_(spec) {}

  void on(const fact::Placed& fact);
  void on(const fact::TaskStarted& fact);
  void on(const fact::TaskEnded& fact);
  void on(const fact::CancelAsked& fact);
  void on(const fact::PauseAsked& fact);
  void on(const fact::ResumeAsked& fact);
  void on(const fact::Preempted& fact);
  void on(const fact::Impossible& fact);
  void on(const fact::Unplaceable& fact);
  void on(const fact::GangTimeout& fact);
  void on(const fact::LimitSet& fact);
  void on(const fact::Tick& fact);

  Effects take();

 private:
  /// How an attempt is decided.
  struct Ruling {
    JobState as = JobState::Failed;
    Decision decision;
    JobEvent event = JobEvent::Verdict;
    bool may_retry = false;
    bool by_policy = false;  ///< a policy asks for the next attempt
    bool lingers = false;    ///< others may go on for the job's `linger`
    Reason stop_reason = Reason::JobEnded;
    std::string actor = {};
  };

  bool is_placed_and_undecided() const {
    return life_.state == JobState::Starting || life_.state == JobState::Running;
  }
  const RoleSpec& role_of(const Task& task) const {
    return spec_.roles[static_cast<std::size_t>(task.ref.role)];
  }

  // transition.cc
  JobLife& edit();
  Task& edit_task(std::size_t at);
  void move(JobEvent on, JobState to);
  void note(std::string kind, std::string data, std::string actor = {});
  void tick_waiting();
  void tick_running();
  void end_while_waiting(JobEvent on, JobState as, Decision decision, std::string actor = {});

  // transition_tasks.cc
  std::optional<std::size_t> current(TaskRef task, int attempt, int tries) const;
  void start(std::size_t at);
  void start_held();
  void check_all_started();
  Ending settled(const Task& task, Ending reported) const;
  bool must_hold(const Task& task, const Ending& ending) const;
  bool ended_by_job_time_limit(const Task& task, const Ending& ending) const;
  void record_end(std::size_t at, Ending ending);
  void end_task(std::size_t at, Ending ending);
  void take_outcome(std::size_t at);
  bool may_restart(const Task& task) const;
  bool may_restart_lost(const Task& task) const;
  void start_again(std::size_t at, std::string_view why);
  void stop(std::size_t at, Reason reason);
  void stop_alive(Reason reason);
  void stop_rest_of_role(int role);
  void release_hold(std::size_t at);

  // transition_policy.cc
  bool apply_policy(const Policy& policy, std::size_t at, Message why = {});
  bool restart_by_policy(const Policy& policy, std::size_t at, Message why);
  void restart_role(int role);
  void restart_task(std::size_t at);

  // transition_verdict.cc
  Decision decision_by(std::string rule, Message message, std::size_t at) const;
  void decide(const Verdict& verdict, const Tally& count, std::size_t at);
  void decide(Ruling ruling);
  void enforce_time_limit();
  void fail_if_dependents_cannot_start();
  std::optional<Seconds> take_retry(const Ruling& ruling);
  void finish_if_all_ended();
  void finish();
  void queue_again(std::string why);
  std::string describe_end() const;

  const JobSpec& spec_;
  JobLife& life_;
  const SiteRules& rules_;
  std::uint64_t seed_;
  Time now_;
  RoleOrder order_;
  Effects effects_;
};

}  // namespace ty::model
