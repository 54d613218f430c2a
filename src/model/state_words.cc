#include "model/state_words.h"

#include "model/messages.h"

namespace ty::model {

Message in_words(JobState state) {
  switch (state) {
    case JobState::Queued:
      return say::job_state_queued();
    case JobState::Starting:
      return say::job_state_starting();
    case JobState::Running:
      return say::job_state_running();
    case JobState::Stopping:
      return say::job_state_stopping();
    case JobState::Paused:
      return say::job_state_paused();
    case JobState::Succeeded:
      return say::job_state_succeeded();
    case JobState::Failed:
      return say::job_state_failed();
    case JobState::Cancelled:
      break;
  }
  return say::job_state_cancelled();
}

}  // namespace ty::model
