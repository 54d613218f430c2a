#include "api/api.h"

#include <fmt/format.h>

#include <optional>

#include "api/context.h"
#include "api/embedded.h"
#include "api/face_router.h"
#include "api/faces.h"
#include "api/site/face.h"
#include "rt/log.h"

namespace ty::api {

namespace asio = boost::asio;

std::string_view embedded(std::string_view name) {
  for (const EmbeddedFile& file : embedded_files()) {
    if (file.name == name) return file.bytes;
  }
  TY_CHECK(false, "embedded files are named in api/CMakeLists.txt");
  return {};
}

asio::awaitable<Result<std::string>> read_body(net::Request& request, std::uint64_t limit) {
  Result<std::string> body = co_await request.body(limit);
  // Our own deadlines are 504; a client that does not finish its sentence made a bad request.
  if (!body && body.error().code == Errc::Timeout) body.error().code = Errc::Invalid;
  co_return body;
}

std::string base_url(const net::Request& request) {
  const bool secure = request.is_secure || request.headers.get("X-Forwarded-Proto") == "https";
  return fmt::format("{}://{}", secure ? "https" : "http", request.headers.get("Host"));
}

struct Api::Impl {
  explicit Impl(Services services)
      : router(faces(),
               {.authenticate =
                    [this](Secret token) {
                      return context.services.authenticator.authenticate(std::move(token));
                    },
                .run = [this](const Operation& operation,
                              Call& call) { return operation.action(context, call); },
                .refused = [this] { context.metrics.refused(); }}),
        context(std::move(services), router.operation_ids()) {}

  FaceRouter router;
  Context context;
};

Api::Api(Services services) : impl_(std::make_unique<Impl>(std::move(services))) {}

Api::~Api() = default;

net::Handler Api::handler() {
  return [impl = impl_.get()](net::Request& request) -> asio::awaitable<net::Response> {
    if (!impl->router.has_route(request)) {
      if (auto page = site::page_for(request)) co_return *std::move(page);
    }
    co_return co_await impl->router.handle(request);
  };
}

void Api::done(const net::Exchange& exchange) {
  const net::Route* route = exchange.request.route;
  impl_->context.metrics.record(route != nullptr ? std::optional(route->number) : std::nullopt,
                                exchange.status,
                                exchange.sent,
                                exchange.took);
  const auto level = exchange.status >= 500 ? log::Level::Warn : log::Level::Debug;
  log::line(level,
            "http.answered request={} method={} path={} status={} bytes={} ms={:.1f} whole={}",
            exchange.request.id,
            net::to_string(exchange.request.method),
            exchange.request.target.path,
            exchange.status,
            exchange.sent,
            static_cast<double>(exchange.took.count()) / 1e6,
            exchange.complete);
}

}  // namespace ty::api
