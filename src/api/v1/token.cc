#include "api/v1/token.h"

#include <fmt/format.h>

#include "api/context.h"
#include "base/text.h"

namespace ty::api::v1 {

namespace {

constexpr std::string_view kSession = "trainyard_session";
constexpr std::string_view kDevice = "trainyard_device";
constexpr Seconds kDeviceLife = std::chrono::days{365};

bool is_secure(const net::Request& request) { return base_url(request).starts_with("https:"); }

/// Over TLS browsers take a cookie with this prefix from this very host alone, and only over TLS:
/// no neighbouring name, and nobody who answers without TLS on another port, can put one in its
/// place.
std::string cookie_name(const net::Request& request, std::string_view name) {
  return is_secure(request) ? fmt::format("__Host-{}", name) : std::string(name);
}

std::string_view read_cookie(const net::Request& request, std::string_view name) {
  const std::string wanted = cookie_name(request, name);
  std::string_view rest = request.headers.get("Cookie");
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(';'), rest.size());
    const std::string_view one = trim(rest.substr(0, end));
    if (one.starts_with(wanted) && one.substr(wanted.size()).starts_with('='))
      return one.substr(wanted.size() + 1);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return {};
}

/// Not readable by scripts, not sent along by other sites' forms, and only over TLS where we are
/// reached by it.
std::string make_cookie(const net::Request& request,
                        std::string_view name,
                        std::string_view value,
                        Seconds life) {
  return fmt::format("{}={}; Path=/; HttpOnly; SameSite=Lax; Max-Age={}{}",
                     cookie_name(request, name),
                     value,
                     life.count(),
                     is_secure(request) ? "; Secure" : "");
}

}  // namespace

Presented read_token(const net::Request& request) {
  const std::string_view authorization = request.headers.get("Authorization");
  if (authorization.size() > 7 &&
      net::same_text_ignoring_case(authorization.substr(0, 7), "Bearer "))
    return {.token = Secret(std::string(trim(authorization.substr(7))))};
  const std::string_view token = read_cookie(request, kSession);
  if (token.empty()) return {};
  return {.token = Secret(std::string(token)), .by_cookie = true};
}

std::string session_cookie(const net::Request& request, std::string_view token, Seconds life) {
  return make_cookie(request, kSession, token, life);
}

Secret read_device(const net::Request& request) {
  return Secret(std::string(read_cookie(request, kDevice)));
}

std::string device_cookie(const net::Request& request, std::string_view device) {
  return make_cookie(request, kDevice, device, kDeviceLife);
}

}  // namespace ty::api::v1
