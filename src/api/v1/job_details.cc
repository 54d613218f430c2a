#include <algorithm>
#include <limits>

#include "api/context.h"
#include "api/query_reader.h"
#include "api/v1/encode/answer.h"
#include "api/v1/encode/events.h"
#include "api/v1/encode/jobs.h"
#include "api/v1/encode/tasks.h"
#include "api/v1/encode/why.h"
#include "api/v1/handlers.h"
#include "jobspec/print.h"
#include "model/secret_tags.h"
#include "model/spec_json.h"

/// All that one can ask about one job but its logs.
namespace ty::api::v1 {

namespace asio = boost::asio;

Answer show_job(Context& context, Call& call) {
  TY_CO_DO(QueryReader(call.request).done());
  TY_CO_TRY(const control::JobView view,
            co_await context.services.jobs.show(call.who, job_of(call)));
  co_return json(200, [&](JsonWriter& out) { write_job(out, view); });
}

Answer list_job_events(Context& context, Call& call) {
  std::int64_t after = 0;
  std::int64_t limit = 100;
  TY_CO_DO(QueryReader(call.request)
               .opt("after", after, 0, std::numeric_limits<std::int64_t>::max())
               .opt("limit", limit, 1, 1000)
               .done());
  control::EventFilter filter{
      .job = job_of(call), .after = EventId{after}, .limit = static_cast<int>(limit)};
  TY_CO_TRY(const control::EventPage page,
            co_await context.services.events.list(call.who, std::move(filter)));
  co_return json(200, [&](JsonWriter& out) {
    out.object().key("events").array();
    for (const model::Event& event : page.events) write_event(out, event);
    out.end_array().field("seen", page.seen.value).field("more", page.more).end_object();
  });
}

namespace {

/// What the sender called it decides between two words, never more: nothing a job file says may
/// make a browser treat it as a page.
std::string_view safe_media_type(std::string_view given) {
  if (given.starts_with("application/json")) return "application/json";
  if (given.starts_with("application/yaml")) return "application/yaml";
  return "text/plain; charset=utf-8";
}

}  // namespace

Answer show_job_spec(Context& context, Call& call) {
  std::string format = "original";
  QueryReader reader(call.request);
  reader.opt("format", format);
  if (format != "original" && format != "native" && format != "json")
    reader.not_among("format", format, "original, native, json");
  TY_CO_DO(reader.done());
  if (format == "original") {
    TY_CO_TRY(control::JobFile file, co_await context.services.jobs.file(call.who, job_of(call)));
    const std::string_view type = safe_media_type(file.media_type);
    co_return net::text_response(200, std::move(file.text), type);
  }
  TY_CO_TRY(const control::JobView view,
            co_await context.services.jobs.show(call.who, job_of(call)));
  if (format == "json") {
    model::JobSpec shown = *view.spec;
    model::cover_secrets(shown);
    co_return net::json_response(200, model::to_json(shown) + "\n");
  }
  co_return net::text_response(200, jobspec::print_native(*view.spec), "application/yaml");
}

Answer list_job_tries(Context& context, Call& call) {
  TY_CO_DO(QueryReader(call.request).done());
  TY_CO_TRY(const control::JobView view,
            co_await context.services.jobs.show(call.who, job_of(call)));
  TY_CO_TRY(const std::vector<model::EndedTry> history,
            co_await context.services.jobs.task_history(call.who, view.job.id.str()));
  const auto is_kept = [&](const model::Task& task) {
    return std::ranges::any_of(history, [&](const model::EndedTry& ended) {
      return ended.attempt == view.job.life.attempt && ended.task.ref == task.ref &&
             ended.task.tries == task.tries;
    });
  };
  co_return json(200, [&](JsonWriter& out) {
    out.object().key("tries").array();
    for (const model::EndedTry& ended : history)
      write_try(out, *view.spec, ended.attempt, ended.task);
    for (const model::Task& task : view.job.life.tasks) {
      const bool under_way = task.state != model::TaskState::Waiting && !is_kept(task);
      if (under_way) write_try(out, *view.spec, view.job.life.attempt, task);
    }
    out.end_array().end_object();
  });
}

Answer list_job_attempts(Context& context, Call& call) {
  TY_CO_DO(QueryReader(call.request).done());
  TY_CO_TRY(const std::vector<control::AttemptView> attempts,
            co_await context.services.jobs.attempts(call.who, job_of(call)));
  co_return json(200, [&](JsonWriter& out) {
    out.object().key("attempts").array();
    for (const control::AttemptView& attempt : attempts) write_attempt(out, attempt);
    out.end_array().end_object();
  });
}

Answer explain_job(Context& context, Call& call) {
  TY_CO_DO(QueryReader(call.request).done());
  TY_CO_TRY(const control::Why why, co_await context.services.jobs.why(call.who, job_of(call)));
  co_return json(200, [&](JsonWriter& out) { write_why(out, why); });
}

}  // namespace ty::api::v1
