#include "api/v1/encode/why.h"

#include <fmt/format.h>

#include "api/v1/encode/jobs.h"
#include "model/words.h"

namespace ty::api {

using model::to_word;

namespace {

void write_statement(JsonWriter& out, const sched::Statement& statement) {
  out.object().field("code", statement.code).field("text", statement.text).key("data").object();
  for (const auto& [name, value] : statement.data)
    std::visit([&](const auto& v) { out.field(name, v); }, value);
  out.end_object().end_object();
}

/// All that would have to change at once, as one statement: its sentence names every part.
void write_change(JsonWriter& out, const std::vector<sched::Statement>& parts) {
  if (parts.empty()) {
    out.null();
    return;
  }
  sched::Statement whole = parts.front();
  for (std::size_t i = 1; i < parts.size(); ++i) {
    whole.text += "; and " + parts[i].text;
    whole.data.insert(parts[i].data.begin(), parts[i].data.end());
  }
  write_statement(out, whole);
}

std::string_view verdict_word(sched::Explanation::Verdict verdict) {
  switch (verdict) {
    case sched::Explanation::Verdict::StartsNow:
      return "starts_now";
    case sched::Explanation::Verdict::Waits:
      return "waits";
    case sched::Explanation::Verdict::Held:
      return "held";
    case sched::Explanation::Verdict::Impossible:
      return "impossible";
    case sched::Explanation::Verdict::Unknown:
      break;
  }
  return "unknown";
}

/// One line about a job that is not waiting.
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
  return std::string(to_word(life.state));
}

}  // namespace

/// The fields of a forecast, into an object that is open.
void write_forecast_fields(JsonWriter& out, const sched::Explanation& told) {
  out.field("text", told.text()).field("verdict", verdict_word(told.verdict)).key("reasons");
  out.array();
  for (const sched::Statement& reason : told.reasons) write_statement(out, reason);
  out.end_array().field("position", told.position).field("waiting", told.waiting).key("estimate");
  if (told.estimate) {
    out.object()
        .field("early", told.estimate->early)
        .field("likely", told.estimate->likely)
        .field("late", told.estimate->late)
        .end_object();
  } else {
    out.null();
  }
  out.key("change");
  write_change(out, {told.change.begin(), told.change.end()});
}

void write_why(JsonWriter& out, const control::Why& why) {
  const model::JobLife& life = why.job.life;
  out.object().field("state", to_word(life.state));
  if (life.state == model::JobState::Queued) {
    write_forecast_fields(out, why.explanation);
  } else {
    out.field("text", line_about(why.job));
  }
  out.key("decision");
  write_decision(out, life.decision, nullptr);
  out.key("clue");
  if (const auto& clue = why.clue) {
    out.object()
        .field("code", clue->code)
        .field("text", clue->text)
        .field("task", clue->task)
        .field("line", clue->line)
        .field("said", clue->said)
        .end_object();
  } else {
    out.null();
  }
  out.end_object();
}

}  // namespace ty::api
