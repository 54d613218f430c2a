#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "control/jobs/forecast.h"
#include "control/logs/failure_clue.h"
#include "jobspec/issue.h"
#include "model/job.h"
#include "model/job_spec.h"

/// What JobService answers.
namespace ty::control {

struct Submitted {
  JobId id;  ///< empty after a dry run
  std::string name;
  std::string handle;
  std::vector<jobspec::Issue> warnings;
  bool repeated = false;             ///< an earlier request with the same idempotency key made it
  std::optional<Forecast> forecast;  ///< after a dry run: what would become of it
};

/// A job with all that a page about it shows.
struct JobView {
  model::Job job;
  std::shared_ptr<const model::JobSpec> spec;
  model::TextMap labels;
  Message waiting_for;  ///< while Queued: the scheduler's reasons as one
};

/// The file as it was handed in, with its secrets covered.
struct JobFile {
  std::string media_type;  ///< as the sender called it
  std::string text;
};

/// One attempt of a job.
struct AttemptView {
  int attempt = 0;
  Time queued_at{};
  std::optional<Time> placed_at, started_at, decided_at, ended_at;
  model::Decision decision;
};

/// Why a job stands where it stands.
struct Why {
  model::JobState state = model::JobState::Queued;
  Message text;                      ///< in one line
  std::optional<Forecast> forecast;  ///< while it waits
  model::Decision decision;
  std::optional<FailureClue> clue;  ///< once it has failed, where its log says something known
};

}  // namespace ty::control
