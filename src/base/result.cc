#include "base/result.h"

#include <cstdio>
#include <cstdlib>

namespace ty {

std::string_view to_string(Errc code) {
  switch (code) {
    case Errc::Invalid:
      return "invalid";
    case Errc::Unauthenticated:
      return "unauthenticated";
    case Errc::Forbidden:
      return "forbidden";
    case Errc::NotFound:
      return "not_found";
    case Errc::Conflict:
      return "conflict";
    case Errc::TooLarge:
      return "too_large";
    case Errc::Exhausted:
      return "exhausted";
    case Errc::Unavailable:
      return "unavailable";
    case Errc::Timeout:
      return "timeout";
    case Errc::Internal:
      return "internal";
  }
  return "internal";
}

void check_failed(const char* condition, const char* why, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: broken promise: %s (%s)\n", file, line, why, condition);
  std::fflush(stderr);
  std::abort();
}

}  // namespace ty
