#pragma once
#include <boost/asio/awaitable.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "api/api.h"
#include "api/metrics.h"
#include "net/http.h"
#include "rt/blocking_pool.h"

namespace ty::api {

/// What all handlers share; lives as long as the Api.
struct Context {
  explicit Context(Services parts) : services(std::move(parts)) {}
  Services services;
  Metrics metrics;
  rt::BlockingPool files{2};  ///< writes uploads to disk
};

/// One call that was let in.
struct Call {
  net::Request& request;
  auth::Principal who;  ///< nobody when the operation is open to anyone
  Secret token;         ///< the one presented
};

/// The job in the path of the call.
inline std::string job_of(const Call& call) { return std::string(call.request.param("id")); }

/// Decodes, calls a use case, encodes. An error becomes a problem answer.
using Action = boost::asio::awaitable<Result<net::Response>> (*)(Context& context, Call& call);

struct Binding {
  std::string_view operation;
  Action action;
};

// Every file of v1/ hands over its part.
std::span<const Binding> job_list_bindings();
std::span<const Binding> job_submit_bindings();
std::span<const Binding> job_action_bindings();
std::span<const Binding> job_detail_bindings();
std::span<const Binding> job_log_bindings();
std::span<const Binding> job_usage_bindings();
std::span<const Binding> event_bindings();
std::span<const Binding> cluster_bindings();
std::span<const Binding> scheduling_bindings();
std::span<const Binding> account_bindings();
std::span<const Binding> registry_bindings();
std::span<const Binding> server_bindings();
std::span<const Binding> page_bindings();

/// The page, for an address that only the browser knows (`/jobs/k41f…/logs`). Null: this request
/// does not ask for a page, or asks for something of the API that does not exist.
std::optional<net::Response> page_for(const net::Request& request);

/// The body of a request that may be no larger than `limit`.
boost::asio::awaitable<Result<std::string>> read_body(net::Request& request, std::uint64_t limit);

/// `http://host:port` as the caller wrote it, for links in answers.
std::string base_url(const net::Request& request);

}  // namespace ty::api
