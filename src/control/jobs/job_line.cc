#include "control/jobs/job_line.h"

#include <fmt/format.h>

#include "model/words.h"

namespace ty::control {

std::string line_about(const model::Job& job) {
  const model::JobLife& life = job.life;
  if (!life.decision.message.empty() && life.state != model::JobState::Succeeded)
    return life.decision.message;
  switch (life.state) {
    case model::JobState::Starting:
      return "its tasks are being started";
    case model::JobState::Running:
      return life.started_at ? fmt::format("it runs since {}", to_rfc3339(*life.started_at))
                             : std::string("it runs");
    case model::JobState::Stopping:
      return "its tasks are being stopped";
    case model::JobState::Paused:
      return "somebody paused it; resume it to queue it again";
    case model::JobState::Succeeded:
      return life.ended_at ? fmt::format("it succeeded at {}", to_rfc3339(*life.ended_at))
                           : std::string("it succeeded");
    case model::JobState::Queued:
    case model::JobState::Failed:
    case model::JobState::Cancelled:
      break;
  }
  return std::string(model::to_word(life.state));
}

}  // namespace ty::control
