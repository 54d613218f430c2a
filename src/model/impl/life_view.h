#pragma once
#include <optional>

#include "model/completion.h"
#include "model/job_progress.h"
#include "model/role_order.h"

/// Questions about a life that JobProgress and its transitions both ask.
namespace ty::model {

/// Its container exists, or may.
constexpr bool is_alive(TaskState state) {
  return state == TaskState::Starting || state == TaskState::Running ||
         state == TaskState::Stopping;
}

/// Where the task stands in JobLife::tasks; nullopt when there is no such task.
std::optional<std::size_t> position_of(const JobLife& life, TaskRef task);

/// `worker-1`.
std::string name_of(const JobSpec& spec, TaskRef task);

/// Its command began, in this try or an earlier one of the attempt.
inline bool has_started(const Task& task) { return task.started_at.has_value() || task.tries > 0; }

/// When a waiting task may be placed again after a restart; nullopt: at any time.
std::optional<Time> restart_due(const Task& task);

/// The time limit in force: the job's, or the site's where that is shorter.
std::optional<Seconds> limit_in_force(const JobLife& life, const SiteRules& rules);

/// When the time limit ends a job that has been running since `since`.
std::optional<Time> time_limit_ends(const JobLife& life, const SiteRules& rules, Time since);

/// When one stretch of waiting becomes too long.
std::optional<Time> max_wait_ends(const JobSpec& spec, const JobLife& life);

/// Only a gang of several can fail to come up together.
std::optional<Time> gang_timeout_strikes(const JobSpec& spec,
                                         const JobLife& life,
                                         const SiteRules& rules);

/// What became of the roles that a role waits for.
enum class AfterState : std::uint8_t { Met, Open, Never };
AfterState after_state(const JobSpec& spec, const RoleOrder& order, const JobLife& life, int role);

/// Whether the role may be given a place: everyone it waits to succeed has, and whoever it waits to
/// start could be placed with it.
bool may_be_placed(const JobSpec& spec, const RoleOrder& order, const JobLife& life, int role);

/// A policy whose event has happened and whose delay is running.
struct DelayedPolicy {
  Time due{};
  const Policy* policy = nullptr;
  std::size_t task = 0;  ///< position of the task whose event it was
};
/// The one that is due first.
std::optional<DelayedPolicy> next_delayed_policy(const JobSpec& spec, const JobLife& life);

/// What an outcome of `task` is to policies, after it was recorded.
class PolicyEvents {
 public:
  PolicyEvents() = default;
  PolicyEvents(const JobSpec& spec, const Tally& count, const Task& task);
  explicit PolicyEvents(PolicyEvent event) { add(event); }
  /// The first policy of the role, else of the job, that is about one of these events.
  const Policy* match(const JobSpec& spec, int role) const;

 private:
  void add(PolicyEvent event) { events_ |= 1u << static_cast<unsigned>(event); }
  bool has(PolicyEvent event) const { return (events_ >> static_cast<unsigned>(event)) & 1u; }
  bool is_about(const Policy& policy) const;

  unsigned events_ = 0;
  std::optional<int> exit_code_;
};

}  // namespace ty::model
