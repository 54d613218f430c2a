#pragma once
#include <cstdint>

namespace ty::model {

/// Where a job stands (job-model §8). Nothing leaves one of the last three.
enum class JobState : std::uint8_t {
  Queued,
  Starting,
  Running,
  Stopping,
  Paused,
  Succeeded,
  Failed,
  Cancelled
};

/// One task of the job. A restart or a retry returns it to Waiting.
enum class TaskState : std::uint8_t {
  Waiting,
  Starting,
  Running,
  Stopping,
  Succeeded,
  Failed,
  Stopped
};

/// How one try of a task ended.
enum class Outcome : std::uint8_t { None, Succeeded, Failed, Stopped, Lost };

/// Why it ended so (job-model §8, the reason table).
enum class Reason : std::uint8_t {
  None,
  Exit,
  Killed,
  CommandNotFound,
  Oom,
  ImageMissing,
  BadSpec,
  TimeLimit,
  WaitLimit,
  CodeFailed,
  DataFailed,
  OutputFailed,
  NodeLost,
  Evicted,
  Preempted,
  GpuLost,
  PortConflict,
  StartFailed,
  GangTimeout,
  UserStop,
  JobEnded,
  ScaledDown
};

constexpr bool is_final(JobState s) {
  return s == JobState::Succeeded || s == JobState::Failed || s == JobState::Cancelled;
}
constexpr bool is_final(TaskState s) {
  return s == TaskState::Succeeded || s == TaskState::Failed || s == TaskState::Stopped;
}
/// Holds resources of a node.
constexpr bool is_placed(JobState s) {
  return s == JobState::Starting || s == JobState::Running || s == JobState::Stopping;
}

}  // namespace ty::model
