#include "api/v1/problem.h"

#include "api/http_status.h"

<<<<<<< HEAD:src/api/problem.cc
int http_status(Errc code) {
  switch (code) {
    case Errc::Invalid:
      return 400;
    case Errc::Unauthenticated:
      return 401;
    case Errc::Forbidden:
      return 403;
    case Errc::NotFound:
      return 404;
    case Errc::Conflict:
      return 409;
    case Errc::TooLarge:
      return 413;
    case Errc::Exhausted:
      return 429;
    case Errc::DiskFull:
      return 507;
    case Errc::Unavailable:
      return 503;
    case Errc::Timeout:
      return 504;
    case Errc::Internal:
      return 500;
  }
  return 500;
}
=======
namespace ty::api::v1 {
>>>>>>> 52adba5 (api: an API is a folder and a line: faces with their own table):src/api/v1/problem.cc

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
