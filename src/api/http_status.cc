#include "api/http_status.h"

namespace ty::api {

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
    case Errc::Unprocessable:
      return 422;
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

}  // namespace ty::api
