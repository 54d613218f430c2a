#include "control/jobs/job_line.h"

#include "control/messages.h"
#include "model/state_words.h"

namespace ty::control {

Message line_about(const model::Job& job) {
  const model::JobLife& life = job.life;
  if (!life.decision.message.empty() && life.state != model::JobState::Succeeded)
    return life.decision.message;
  switch (life.state) {
    case model::JobState::Starting:
      return say::tasks_are_starting();
    case model::JobState::Running:
      return life.started_at ? say::running_since({.at = *life.started_at}) : say::running();
    case model::JobState::Stopping:
      return say::tasks_are_stopping();
    case model::JobState::Paused:
      return say::paused();
    case model::JobState::Succeeded:
      return life.ended_at ? say::succeeded_at({.at = *life.ended_at}) : say::succeeded();
    case model::JobState::Queued:
    case model::JobState::Failed:
    case model::JobState::Cancelled:
      break;
  }
  return in_words(life.state);
}

}  // namespace ty::control
