#include "api/body.h"
#include "api/context.h"
#include "api/query_reader.h"
#include "api/v1/encode/answer.h"
#include "api/v1/encode/jobs.h"
#include "api/v1/encode/submitted.h"
#include "api/v1/handlers.h"

/// What people do to a job: stop, pause, resume, limit, move, delete, clone, retry.
namespace ty::api::v1 {

namespace asio = boost::asio;

namespace {

/// Calls that take nothing but the job and answer how it stands then.
using Wish = asio::awaitable<Result<model::Job>> (control::JobService::*)(auth::Principal,
                                                                          std::string);
template <Wish wish>
Answer tell(Context& context, Call& call) {
  TY_CO_DO(QueryReader(call.request).done());
  TY_CO_TRY(const model::Job job, co_await (context.services.jobs.*wish)(call.who, job_of(call)));
  co_return json(202, [&](JsonWriter& out) { write_summary(out, job); });
}

}  // namespace

Answer stop_job(Context& context, Call& call) {
  return tell<&control::JobService::stop>(context, call);
}

Answer pause_job(Context& context, Call& call) {
  return tell<&control::JobService::pause>(context, call);
}

Answer resume_job(Context& context, Call& call) {
  return tell<&control::JobService::resume>(context, call);
}

Answer set_job_limit(Context& context, Call& call) {
  TY_CO_DO(QueryReader(call.request).done());
  TY_CO_TRY(const boost::json::value body, co_await read_json(call.request));
  std::optional<std::string> text;
  JsonReader reader(body);
  reader.req("time_limit", text);
  std::optional<Seconds> limit;
  if (text) {
    if (const auto parsed = parse_duration(*text))
      limit = *parsed;
    else
      reader.wrong("time_limit", parsed.error().message, "duration");
  }
  TY_CO_DO(reader.done());
  TY_CO_TRY(const model::Job job,
            co_await context.services.jobs.set_limit(call.who, job_of(call), limit));
  co_return json(200, [&](JsonWriter& out) { write_summary(out, job); });
}

Answer move_job(Context& context, Call& call) {
  TY_CO_DO(QueryReader(call.request).done());
  TY_CO_TRY(const boost::json::value body, co_await read_json(call.request));
  std::optional<std::string> before;
  TY_CO_DO(JsonReader(body).req("before", before).done());
  TY_CO_TRY(const model::Job job,
            co_await context.services.jobs.move(call.who, job_of(call), before.value_or("")));
  co_return json(200, [&](JsonWriter& out) { write_summary(out, job); });
}

Answer delete_job(Context& context, Call& call) {
  bool force = false;
  TY_CO_DO(QueryReader(call.request).opt("force", force).done());
  TY_CO_DO(co_await context.services.jobs.remove(call.who, job_of(call), force));
  co_return net::empty_response(204);
}

namespace {

net::Response submitted(control::Submitted job) {
  const std::vector<control::Submitted> jobs{std::move(job)};
  net::Response response = json(201, [&](JsonWriter& out) { write_submitted(out, jobs); });
  response.headers.add("Location", "/api/v1/jobs/" + jobs.front().id.str());
  return response;
}

}  // namespace

Answer clone_job(Context& context, Call& call) {
  TY_CO_DO(QueryReader(call.request).done());
  TY_CO_TRY(const boost::json::value body, co_await read_json(call.request));
  std::string name;
  TY_CO_DO(JsonReader(body).opt("name", name).done());
  TY_CO_TRY(control::Submitted job,
            co_await context.services.jobs.clone(call.who, job_of(call), std::move(name)));
  co_return submitted(std::move(job));
}

Answer retry_job(Context& context, Call& call) {
  TY_CO_DO(QueryReader(call.request).done());
  TY_CO_TRY(control::Submitted job, co_await context.services.jobs.retry(call.who, job_of(call)));
  co_return submitted(std::move(job));
}

}  // namespace ty::api::v1
