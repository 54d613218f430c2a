#include <algorithm>
#include <limits>

#include "api/context.h"
#include "api/query_reader.h"
#include "api/v1/encode/answer.h"
#include "api/v1/encode/usage.h"
#include "api/v1/handlers.h"

/// GET /jobs/{id}/metrics
namespace ty::api::v1 {

namespace asio = boost::asio;

Answer show_job_metrics(Context& context, Call& call) {
  control::UsageQuery query;
  std::optional<std::int64_t> attempt;
  std::int64_t points = 0;
  TY_CO_DO(QueryReader(call.request)
               .opt("task", query.task)
               .opt("attempt", attempt, 0)
               .opt("since", query.since)
               .opt("points", points, 0, 1000)
               .done());
  if (attempt) {
    constexpr std::int64_t most = std::numeric_limits<int>::max();
    query.attempt = static_cast<int>(std::min(*attempt, most));
  }
  query.points = static_cast<std::size_t>(points);
  std::string job(call.request.param("id"));
  TY_CO_TRY(const std::vector<control::TaskUsageView> views,
            co_await context.services.usage.of_job(call.who, std::move(job), std::move(query)));
  co_return json(200, [&](JsonWriter& out) {
    out.object().key("tasks").array();
    for (const control::TaskUsageView& view : views) write_usage(out, view);
    out.end_array().end_object();
  });
}

}  // namespace ty::api::v1
