#include "api/api.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/access.h"
#include "api/context.h"
#include "api/embedded.h"
#include "api/problem.h"
#include "base/text.h"
#include "net/router.h"
#include "net/site_policy.h"
#include "rt/log.h"

namespace ty::api {

namespace asio = boost::asio;

namespace {

constexpr std::string_view kCookie = "trainyard_session";

/// The token of a request and whether it came by itself, as cookies do.
struct Presented {
  Secret token;
  bool by_cookie = false;
};

Presented presented(const net::Request& request) {
  const std::string_view authorization = request.headers.get("Authorization");
  if (authorization.size() > 7 &&
      net::same_text_ignoring_case(authorization.substr(0, 7), "Bearer "))
    return {.token = Secret(std::string(trim(authorization.substr(7))))};
  for (const std::string& pair : split(request.headers.get("Cookie"), ';')) {
    const std::string_view one = trim(pair);
    if (one.starts_with(kCookie) && one.substr(kCookie.size()).starts_with('='))
      return {.token = Secret(std::string(one.substr(kCookie.size() + 1))), .by_cookie = true};
  }
  return {};
}

bool changes_things(net::Method method) {
  return method != net::Method::Get && method != net::Method::Head &&
         method != net::Method::Options;
}

}  // namespace

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
  explicit Impl(Services services) : context(std::move(services)) {}

  void bind(const Operation& operation, Action action);
  asio::awaitable<Result<net::Response>> let_in(const Operation& operation,
                                                Action action,
                                                net::Request& request);

  Context context;
  net::Router router;
};

asio::awaitable<Result<net::Response>> Api::Impl::let_in(const Operation& operation,
                                                         Action action,
                                                         net::Request& request) {
  Call call{.request = request};
  if (operation.caller != Caller::Anyone) {
    Presented given = presented(request);
    if (given.token.empty()) {
      context.metrics.refused();
      co_return fail(Errc::Unauthenticated,
                     "sign in first: send Authorization: Bearer TOKEN, or run `trainyard login`");
    }
    auto who = co_await context.services.authenticator.authenticate(given.token);
    if (!who) {
      context.metrics.refused();
      co_return std::unexpected(std::move(who).error());
    }
    Result<void> allowed = may_call(operation, *who);
    // Browsers send cookies with requests that other sites' pages make.
    if (allowed && given.by_cookie && changes_things(request.method))
      allowed = net::check_same_origin(request);
    if (!allowed) {
      context.metrics.refused();
      co_return std::unexpected(std::move(allowed).error());
    }
    call.who = *std::move(who);
    call.token = std::move(given.token);
  }
  co_return co_await action(context, call);
}

void Api::Impl::bind(const Operation& operation, Action action) {
  auto handler =
      [this, &operation, action](net::Request& request) -> asio::awaitable<net::Response> {
    Result<net::Response> answer = co_await let_in(operation, action, request);
    net::Response response;
    if (answer) {
      response = *std::move(answer);
    } else {
      const Error& error = answer.error();
      response = problem(error, request);
      if (error.code == Errc::Internal)
        log::error("api.failed request={} operation={} problem={}",
                   request.id,
                   operation.id,
                   error.message);
    }
    response.headers.add("X-Content-Type-Options", "nosniff");
    if (!response.headers.has("Cache-Control")) response.headers.add("Cache-Control", "no-store");
    co_return response;
  };
  router.add({.method = operation.method,
              .pattern = std::string(operation.path),
              .operation = std::string(operation.id),
              .handler = std::move(handler)});
}

Api::Api(Services services) : impl_(std::make_unique<Impl>(std::move(services))) {
  std::vector<Binding> bindings;
  for (const auto part : {job_list_bindings(),
                          job_submit_bindings(),
                          job_action_bindings(),
                          job_detail_bindings(),
                          job_log_bindings(),
                          job_usage_bindings(),
                          event_bindings(),
                          cluster_bindings(),
                          scheduling_bindings(),
                          account_bindings(),
                          registry_bindings(),
                          server_bindings(),
                          page_bindings()}) {
    bindings.insert(bindings.end(), part.begin(), part.end());
  }
  TY_CHECK(bindings.size() == operations().size(), "every handler belongs to one operation");
  for (const Operation& operation : operations()) {
    const auto found = std::ranges::find(bindings, operation.id, &Binding::operation);
    TY_CHECK(found != bindings.end(), "every operation has a handler");
    impl_->bind(operation, found->action);
  }
}

Api::~Api() = default;

net::Handler Api::handler() {
  return [impl = impl_.get()](net::Request& request) -> asio::awaitable<net::Response> {
    if (impl->router.find(request).route == nullptr) {
      if (auto page = page_for(request)) co_return *std::move(page);
    }
    co_return co_await impl->router.handle(request);
  };
}

void Api::done(const net::Exchange& exchange) {
  const net::Route* route = exchange.request.route;
  const std::size_t operation = route != nullptr ? route->number : operations().size();
  impl_->context.metrics.record(operation, exchange.status, exchange.sent, exchange.took);
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
