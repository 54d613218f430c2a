#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "model/job_spec.h"
#include "model/states.h"

/// What happens to a job after it was handed in. These structs are what the store keeps.
namespace ty::model {

/// Which task of a job: role by its position in the file, index from 0.
struct TaskRef {
  int role = 0;
  int index = 0;
  auto operator<=>(const TaskRef&) const = default;
};

/// One try of one task: the key of a container, a run folder, a log. `attempt` counts tries of the
/// job, `tries` those of the task inside one attempt; both from 0.
struct TaskKey {
  JobId job;
  int attempt = 0;
  TaskRef task;
  int tries = 0;
  auto operator<=>(const TaskKey&) const = default;
};

/// What the scheduler gave a task: where it runs and which pieces of the node are its own.
struct Placement {
  std::string node;
  std::string address;    ///< how peers reach it; 127.0.0.1 for processes of one machine
  std::vector<int> gpus;  ///< device indices on the node
  std::string gpu_type;
  std::vector<std::vector<int>> ports;  ///< per declared port, in the order of `all_ports(role)`
  bool operator==(const Placement&) const = default;
};

/// How one try of a task ended, as the engine saw it.
struct Ending {
  Outcome outcome = Outcome::None;
  Reason reason = Reason::None;
  FailureClass failure = FailureClass::None;
  std::optional<int> exit_code;
  std::optional<int> signal;
  Message message;  ///< for people: "exit code 1", "out of memory: limit 2.0 GB, peak 2.0 GB"
  bool operator==(const Ending&) const = default;
};

/// A task as it stands in the current attempt.
struct Task {
  TaskRef ref;
  TaskState state = TaskState::Waiting;
  int tries = 0;          ///< number of the current (or last) try in this attempt
  int restarts = 0;       ///< restarts that used up the budget
  int lost_restarts = 0;  ///< restarts after a loss, uncounted
  std::optional<Placement> placement;
  std::optional<Time> started_at;  ///< of this try
  std::optional<Time> ended_at;
  Ending ending;  ///< meaningful once final, or after an earlier try
  /// Debug hold: its command failed, it keeps its resources until then.
  std::optional<Time> hold_until;
  /// It was told to stop; what it returns after that does not count.
  std::optional<Time> stopping_since;
  bool restarting = false;  ///< being stopped only to start again (policy restart_role, …)
  bool operator==(const Task&) const = default;
};

/// Why the job's attempt was decided as it was.
struct Decision {
  std::optional<TaskRef> task;
  std::string rule;  ///< "min_failed", "min_succeeded", "job_min_succeeded", "role_end", "job_end",
                     ///< "policy", "user", "time_limit", …
  Message message;   ///< for people
  Reason reason = Reason::None;
  FailureClass failure = FailureClass::None;
  std::optional<int> exit_code;
  bool operator==(const Decision&) const = default;
};

/// How many tries went where (OpenPAI's retryDetails).
struct RetryCount {
  int counted = 0;
  int platform = 0;
  int conflict = 0;
  int preempted = 0;
  int before_command = 0;
  bool operator==(const RetryCount&) const = default;
};

/// Everything about a job that changes while it lives. JobProgress is the only code that changes
/// it.
struct JobLife {
  JobState state = JobState::Queued;
  std::optional<JobState> ending_as;  ///< while Stopping
  int attempt = 0;
  RetryCount retries;
  Decision decision;               ///< of the current or last attempt
  Time queued_at{};                ///< start of the present stretch of waiting
  std::optional<Time> not_before;  ///< while Queued after a back-off
  std::optional<Time> placed_at;   ///< of this attempt
  std::optional<Time> started_at;  ///< of this attempt: it became Running
  std::optional<Time> decided_at;
  std::optional<Time> stop_at;  ///< while Stopping and others may linger: when they must stop
  std::optional<Time> ended_at;
  Millis ran{0};                      ///< running time of earlier attempts, for the time limit
  std::optional<Seconds> time_limit;  ///< as set now; starts as the spec's
  std::vector<Task> tasks;            ///< role order, then index
  bool operator==(const JobLife&) const = default;
};

/// The row people see in a list.
struct Job {
  JobId id;
  JobSeq seq;
  std::string name;
  std::string handle;  ///< unique among the owner's jobs
  UserId owner;
  std::string owner_name;
  WorkspaceId workspace;
  std::string workspace_name;
  Dialect dialect = Dialect::Native;
  std::int64_t priority = 10;
  Time created_at{};
  std::int64_t tasks_total = 0;
  std::int64_t gpus_total = 0;
  std::int64_t version = 0;  ///< writers compare it: a stale one loses politely
  JobLife life;              ///< `tasks` empty in lists
};

/// One line of a job's timeline; also the audit and the stream clients follow.
struct Event {
  EventId id;
  JobSeq job_seq;
  JobId job;
  WorkspaceId workspace;
  UserId owner;
  Time at{};
  std::string kind;   ///< job.submitted job.placed job.running task.started task.ended job.decided
                      ///< job.succeeded …
  std::string actor;  ///< user name, or "trainyard"
  JsonText data;      ///< small object, kind-specific
};

/// `http` and `ssh`, one each unless the role declares them itself, then what it declared: the
/// order of Placement::ports.
std::vector<Port> all_ports(const RoleSpec& role);

}  // namespace ty::model
