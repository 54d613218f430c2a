#include "engine/local/reports.h"

namespace ty::engine {

void Reports::preparing(const model::TaskKey& key, Message told) const {
  TaskReport report;
  report.key = key;
  report.what = TaskReport::What::Preparing;
  report.at = clock_.now();
  report.progress = std::move(told);
  sink_(std::move(report));
}

void Reports::started(const model::TaskKey& key, const JournalFacts& facts) const {
  TaskReport report;
  report.key = key;
  report.what = TaskReport::What::Started;
  report.at = facts.running.value_or(clock_.now());
  report.warnings = facts.warnings;
  sink_(std::move(report));
}

void Reports::ended(const model::TaskKey& key,
                    const JournalFacts& facts,
                    bool is_started_reported,
                    Besides besides) const {
  if (!is_started_reported && facts.running) started(key, facts);
  TaskReport report;
  report.key = key;
  report.what = TaskReport::What::Ended;
  report.at = clock_.now();
  std::optional<model::Ending> found;
  if (!facts.is_over()) found = runtime_.cause_of_end(key, true);
  report.ending = found ? *std::move(found) : ending_of(facts);
  // What went wrong with the task itself says more than that its results are not away yet.
  if (besides.not_saved && report.ending.outcome == model::Outcome::Succeeded)
    report.ending = *std::move(besides.not_saved);
  if (besides.stopped_for) report.ending = *std::move(besides.stopped_for);
  if (facts.ended) {
    report.at = facts.ended->at;
    report.peak_memory = facts.ended->peak_memory;
    report.cpu_time = facts.ended->cpu_time;
  } else if (facts.failed) {
    report.at = facts.failed->at;
  }
  sink_(std::move(report));
}

void Reports::fault(const model::TaskKey& key, model::Ending ending) const {
  TaskReport report;
  report.key = key;
  report.what = TaskReport::What::Ended;
  report.at = clock_.now();
  report.ending = std::move(ending);
  sink_(std::move(report));
}

}  // namespace ty::engine
