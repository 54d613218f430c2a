#include "api/v1/encode/why.h"

#include "api/v1/encode/jobs.h"
#include "model/words.h"

namespace ty::api::v1 {

using model::to_word;

namespace {

void write_statement(JsonWriter& out, const Message& statement) {
  std::string data;
  append_json_data(data, statement);
  out.object()
      .field("code", statement.code)
      .field("text", statement.text())
      .key("data")
      .raw(data)
      .end_object();
}

std::string_view verdict_word(control::Forecast::Verdict verdict) {
  switch (verdict) {
    case control::Forecast::Verdict::StartsNow:
      return "starts_now";
    case control::Forecast::Verdict::Waits:
      return "waits";
    case control::Forecast::Verdict::Held:
      return "held";
    case control::Forecast::Verdict::Impossible:
      return "impossible";
    case control::Forecast::Verdict::Unknown:
      break;
  }
  return "unknown";
}

}  // namespace

/// The fields of a forecast, into an object that is open.
void write_forecast_fields(JsonWriter& out, const control::Forecast& told) {
  out.field("text", told.whole()).field("verdict", verdict_word(told.verdict)).key("reasons");
  out.array();
  for (const Message& reason : told.reasons) write_statement(out, reason);
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
  told.change.empty() ? void(out.null()) : write_statement(out, told.change);
}

void write_why(JsonWriter& out, const control::Why& why) {
  out.object().field("state", to_word(why.state));
  if (why.forecast)
    write_forecast_fields(out, *why.forecast);
  else
    out.field("text", why.text);
  out.key("decision");
  write_decision(out, why.decision, nullptr);
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

}  // namespace ty::api::v1
