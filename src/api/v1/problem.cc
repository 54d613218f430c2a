#include "api/v1/problem.h"

#include "api/http_status.h"

namespace ty::api::v1 {

net::Response problem(const Error& error, const net::Request& request) {
  const net::Problem body{.status = http_status(error.code),
                          .code = to_string(error.code),
                          .message = error.message,
                          .details = error.details};
  net::Response response = net::problem_response(body, request.id);
  if (error.code == Errc::Unauthenticated) response.headers.add("WWW-Authenticate", "Bearer");
  // The refill time of the sign-in limits, the one thing that is exhausted by asking too often.
  if (error.code == Errc::Exhausted) response.headers.add("Retry-After", "10");
  return response;
}

}  // namespace ty::api::v1
