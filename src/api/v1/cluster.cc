#include <limits>

#include "api/context.h"
#include "api/query_reader.h"
#include "api/v1/encode/answer.h"
#include "api/v1/encode/nodes.h"
#include "api/v1/encode/queue.h"
#include "api/v1/handlers.h"

/// GET /nodes, /queue
namespace ty::api::v1 {

namespace asio = boost::asio;

Answer list_nodes(Context& context, Call& call) {
  TY_CO_DO(QueryReader(call.request).done());
  TY_CO_TRY(const std::vector<control::NodeView> nodes,
            co_await context.services.cluster.nodes(call.who));
  co_return json(200, [&](JsonWriter& out) {
    out.object().key("nodes").array();
    for (const control::NodeView& node : nodes) write_node(out, node);
    out.end_array().end_object();
  });
}

Answer list_queue(Context& context, Call& call) {
  std::int64_t offset = 0;
  std::int64_t limit = 100;
  TY_CO_DO(QueryReader(call.request)
               .opt("offset", offset, 0, std::numeric_limits<std::int64_t>::max())
               .opt("limit", limit, 1, 1000)
               .done());
  TY_CO_TRY(const auto queue,
            co_await context.services.cluster.queue(
                call.who, static_cast<std::size_t>(offset), static_cast<std::size_t>(limit)));
  co_return json(200, [&](JsonWriter& out) {
    out.object().key("queue").array();
    std::int64_t position = offset;
    for (const auto& job : queue) write_queued(out, job, ++position);
    out.end_array().end_object();
  });
}

}  // namespace ty::api::v1
