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

Message in_one(const std::vector<Message>& parts) {
  Message whole;
  for (const Message& part : parts) whole = joined(std::move(whole), part);
  return whole;
}

}  // namespace

Message Forecast::whole() const { return in_one(reasons); }

Forecast to_forecast(const sched::Explanation& told) {
  Forecast forecast{.verdict = verdict_of(told.verdict),
                    .reasons = told.reasons,
                    .position = told.position,
                    .waiting = told.waiting,
                    .change = in_one(told.change)};
  if (told.estimate) {
    forecast.estimate = StartEstimate{.early = told.estimate->early,
                                      .likely = told.estimate->likely,
                                      .late = told.estimate->late};
  }
  return forecast;
}

}  // namespace ty::control
