#pragma once
#include <optional>

#include "model/states.h"

namespace ty::model {

enum class JobEvent : std::uint8_t {
  Placed,
  TasksUp,
  Verdict,
  CancelAsked,
  PauseAsked,
  ResumeAsked,
  Preempted,
  TasksGone,
  WaitLimit,
  Impossible
};

struct Move {
  JobState from;
  JobEvent on;
  JobState to;
};

/// Every legal move of a job (job-model §8). Where a job stops, what it becomes afterwards is its
/// `ending_as`, and TasksGone leads there: see `JobProgress`.
inline constexpr Move kMoves[] = {
    {JobState::Queued, JobEvent::Placed, JobState::Starting},
    {JobState::Queued, JobEvent::CancelAsked, JobState::Cancelled},
    {JobState::Queued, JobEvent::PauseAsked, JobState::Paused},
    {JobState::Queued, JobEvent::WaitLimit, JobState::Failed},
    {JobState::Queued, JobEvent::Impossible, JobState::Failed},
    {JobState::Starting, JobEvent::TasksUp, JobState::Running},
    {JobState::Starting, JobEvent::Verdict, JobState::Stopping},
    {JobState::Starting, JobEvent::CancelAsked, JobState::Stopping},
    {JobState::Starting, JobEvent::PauseAsked, JobState::Stopping},
    {JobState::Starting, JobEvent::Preempted, JobState::Stopping},
    {JobState::Running, JobEvent::Verdict, JobState::Stopping},
    {JobState::Running, JobEvent::CancelAsked, JobState::Stopping},
    {JobState::Running, JobEvent::PauseAsked, JobState::Stopping},
    {JobState::Running, JobEvent::Preempted, JobState::Stopping},
    {JobState::Stopping, JobEvent::CancelAsked, JobState::Stopping},
    {JobState::Stopping, JobEvent::TasksGone, JobState::Queued},
    {JobState::Stopping, JobEvent::TasksGone, JobState::Paused},
    {JobState::Stopping, JobEvent::TasksGone, JobState::Succeeded},
    {JobState::Stopping, JobEvent::TasksGone, JobState::Failed},
    {JobState::Stopping, JobEvent::TasksGone, JobState::Cancelled},
    {JobState::Paused, JobEvent::ResumeAsked, JobState::Queued},
    {JobState::Paused, JobEvent::CancelAsked, JobState::Cancelled},
};

constexpr bool is_legal(JobState from, JobEvent on, JobState to) {
  for (const Move& move : kMoves) {
    if (move.from == from && move.on == on && move.to == to) return true;
  }
  return false;
}

}  // namespace ty::model
