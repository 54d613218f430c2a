#include <fmt/format.h>

#include "api/context.h"
#include "api/embedded.h"
#include "api/messages.h"
#include "api/metrics.h"
#include "api/site/handlers.h"
#include "jobspec/print.h"

/// About this server: version, health, figures, contract.
namespace ty::api::site {

namespace asio = boost::asio;

Answer show_contract(Context&, Call&) {
  co_return net::text_response(200, std::string(embedded("openapi.yaml")), "application/yaml");
}

Answer show_job_schema(Context&, Call&) {
  co_return net::text_response(200, jobspec::json_schema(), "application/schema+json");
}

Answer show_format_schema(Context&, Call& call) {
  std::string_view name = call.request.param("file");
  if (name.ends_with(".json")) name.remove_suffix(5);
  const auto dialect = jobspec::dialect_named(name);
  std::optional<std::string> schema = dialect ? jobspec::json_schema(*dialect) : std::nullopt;
  if (!schema) {
    co_return fail(Errc::NotFound, say::no_such_schema());
  }
  co_return net::text_response(200, *std::move(schema), "application/schema+json");
}

Answer check_alive(Context&, Call&) { co_return net::text_response(200, "ok\n"); }

Answer check_ready(Context& context, Call&) {
  const control::ServerLoad load = co_await context.services.cluster.load();
  if (load.store_failing)
    co_return net::text_response(503,
                                 say::jobs_not_stored({.why = load.store_problem}).text() + "\n");
  co_return net::text_response(200, "ready\n");
}

Answer show_metrics(Context& context, Call&) {
  const control::ServerLoad load = co_await context.services.cluster.load();
  std::string text = fmt::format(
      "# HELP trainyard_info What runs here.\n"
      "# TYPE trainyard_info gauge\n"
      "trainyard_info{{version=\"{}\",engine=\"{}\"}} 1\n"
      "# HELP trainyard_jobs_live Jobs that have not ended.\n"
      "# TYPE trainyard_jobs_live gauge\n"
      "trainyard_jobs_live {}\n"
      "# HELP trainyard_jobs_waiting Jobs that wait for their turn.\n"
      "# TYPE trainyard_jobs_waiting gauge\n"
      "trainyard_jobs_waiting {}\n"
      "# HELP trainyard_store_failing The last save failed and is being tried again.\n"
      "# TYPE trainyard_store_failing gauge\n"
      "trainyard_store_failing {}\n",
      context.services.version,
      context.services.engine,
      load.live,
      load.waiting,
      load.store_failing ? 1 : 0);
  text += context.metrics.render();
  text += process_metrics();
  co_return net::text_response(200, std::move(text), "text/plain; version=0.0.4; charset=utf-8");
}

}  // namespace ty::api::site
