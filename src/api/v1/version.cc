#include "api/context.h"
#include "api/v1/encode/answer.h"
#include "api/v1/handlers.h"

/// GET /version
namespace ty::api::v1 {

Answer show_version(Context& context, Call&) {
  co_return json(200, [&](JsonWriter& out) {
    out.object()
        .field("version", context.services.version)
        .field("engine", context.services.engine)
        .field("api", "v1")
        .end_object();
  });
}

}  // namespace ty::api::v1
