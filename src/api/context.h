#pragma once
#include <boost/asio/awaitable.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "api/api.h"
#include "api/metrics.h"
#include "api/operation.h"
#include "net/http.h"
#include "rt/blocking_pool.h"

namespace ty::api {

/// What all handlers share; lives as long as the Api.
struct Context {
  Context(Services parts, std::vector<std::string_view> operation_ids)
      : services(std::move(parts)), metrics(std::move(operation_ids)) {}
  Services services;
  Metrics metrics;
  rt::BlockingPool files{2};  ///< writes uploads to disk
};

/// The job in the path of the call.
inline std::string job_of(const Call& call) { return std::string(call.request.param("id")); }

/// The body of a request that may be no larger than `limit`.
boost::asio::awaitable<Result<std::string>> read_body(net::Request& request, std::uint64_t limit);

/// `http://host:port` as the caller wrote it, for links in answers.
std::string base_url(const net::Request& request);

}  // namespace ty::api
