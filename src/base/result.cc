#include "base/result.h"

#include <cerrno>
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
    case Errc::Unprocessable:
      return "unprocessable";
    case Errc::Exhausted:
      return "exhausted";
    case Errc::DiskFull:
      return "disk_full";
    case Errc::Unavailable:
      return "unavailable";
    case Errc::Timeout:
      return "timeout";
    case Errc::Internal:
      return "internal";
  }
  return "internal";
}

Errc disk_errc(int system_error, Errc otherwise) {
  return system_error == ENOSPC || system_error == EDQUOT ? Errc::DiskFull : otherwise;
}

void check_failed(const char* condition, const char* why, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: broken promise: %s (%s)\n", file, line, why, condition);
  std::fflush(stderr);
  std::abort();
}

}  // namespace ty
