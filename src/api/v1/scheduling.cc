#include "api/body.h"
#include "api/context.h"
#include "api/json_reader.h"
#include "api/query_reader.h"
#include "api/v1/handlers.h"
#include "control/cluster/scheduling_service.h"

/// /scheduling, /nodes/{name}/draining
namespace ty::api::v1 {

namespace asio = boost::asio;

namespace {

constexpr std::uint64_t kMostRules = 1 << 20;

}  // namespace

Answer show_scheduling(Context& context, Call& call) {
  TY_CO_DO(QueryReader(call.request).done());
  TY_CO_TRY(std::string rules, co_await context.services.scheduling.rules(call.who));
  co_return net::json_response(200, std::move(rules));
}

Answer set_scheduling(Context& context, Call& call) {
  TY_CO_DO(QueryReader(call.request).done());
  TY_CO_TRY(std::string document, co_await read_body(call.request, kMostRules));
  TY_CO_TRY(std::string now,
            co_await context.services.scheduling.set(call.who, std::move(document)));
  co_return net::json_response(200, std::move(now));
}

Answer set_node_draining(Context& context, Call& call) {
  TY_CO_DO(QueryReader(call.request).done());
  TY_CO_TRY(const boost::json::value body, co_await read_json(call.request));
  bool draining = true;
  JsonReader reader(body);
  reader.req("draining", draining);
  TY_CO_DO(reader.done());
  TY_CO_DO(co_await context.services.scheduling.set_draining(
      call.who, std::string(call.request.param("name")), draining));
  co_return net::empty_response(204);
}

}  // namespace ty::api::v1
