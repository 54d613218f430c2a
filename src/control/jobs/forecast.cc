#include "control/jobs/forecast.h"

#include "sched/explanation.h"

namespace ty::control {

namespace {

Forecast::Verdict verdict_of(sched::Explanation::Verdict verdict) {
  switch (verdict) {
    case sched::Explanation::Verdict::StartsNow:
      return Forecast::Verdict::StartsNow;
    case sched::Explanation::Verdict::Waits:
      return Forecast::Verdict::Waits;
    case sched::Explanation::Verdict::Held:
      return Forecast::Verdict::Held;
    case sched::Explanation::Verdict::Impossible:
      return Forecast::Verdict::Impossible;
    case sched::Explanation::Verdict::Unknown:
      break;
  }
  return Forecast::Verdict::Unknown;
}

Statement copy_of(const sched::Statement& statement) {
  return {.code = statement.code, .text = statement.text, .data = statement.data};
}

/// All that would have to change at once, as one statement.
std::optional<Statement> whole_change(const std::vector<sched::Statement>& parts) {
  if (parts.empty()) return std::nullopt;
  Statement whole = copy_of(parts.front());
  for (std::size_t i = 1; i < parts.size(); ++i) {
    whole.text += "; and " + parts[i].text;
    whole.data.insert(parts[i].data.begin(), parts[i].data.end());
  }
  return whole;
}

}  // namespace

Forecast to_forecast(const sched::Explanation& told) {
  Forecast forecast{.verdict = verdict_of(told.verdict),
                    .text = told.text(),
                    .position = told.position,
                    .waiting = told.waiting,
                    .change = whole_change(told.change)};
  for (const sched::Statement& reason : told.reasons) forecast.reasons.push_back(copy_of(reason));
  if (told.estimate) {
    forecast.estimate = StartEstimate{.early = told.estimate->early,
                                      .likely = told.estimate->likely,
                                      .late = told.estimate->late};
  }
  return forecast;
}

}  // namespace ty::control
