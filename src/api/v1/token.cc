#include "api/v1/token.h"

#include <fmt/format.h>

#include "api/context.h"
#include "base/text.h"

namespace ty::api::v1 {

namespace {

constexpr std::string_view kCookie = "trainyard_session";

}  // namespace

Presented read_token(const net::Request& request) {
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

/// Not readable by scripts, not sent along by other sites' forms, and only over TLS where we are
/// reached by it.
std::string session_cookie(const net::Request& request, std::string_view token, Seconds life) {
  const bool secure = base_url(request).starts_with("https:");
  return fmt::format("{}={}; Path=/; HttpOnly; SameSite=Lax; Max-Age={}{}",
                     kCookie,
                     token,
                     life.count(),
                     secure ? "; Secure" : "");
}

}  // namespace ty::api::v1
