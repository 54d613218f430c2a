#include "net/site_policy.h"

#include <unistd.h>

#include <algorithm>
#include <array>

#include "net/impl/ip_address.h"
#include "net/messages.h"

namespace ty::net {

namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  });
  return out;
}

/// `host:port` and `[::1]:port` without port and brackets.
std::string_view host_of(std::string_view field) {
  if (field.starts_with('[')) {
    const std::size_t end = field.find(']');
    return end == std::string_view::npos ? std::string_view() : field.substr(1, end - 1);
  }
  return field.substr(0, field.find(':'));
}

bool is_loopback(std::string_view host) {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

bool is_covered(std::string_view host, std::string_view name) {
  if (name.starts_with("*.")) return host.ends_with(name.substr(1)) && host.size() >= name.size();
  return host == name;
}

}  // namespace

SitePolicy::SitePolicy(const Options& options) {
  const bool is_private = is_loopback(host_of(options.listen));
  any_name_ = options.hosts.empty() && !is_private;
  if (any_name_) return;
  names_ = {"localhost", "*.localhost"};
  for (const std::string& host : options.hosts) names_.push_back(lower(host));
  std::array<char, 256> own{};
  if (::gethostname(own.data(), own.size() - 1) == 0) names_.push_back(lower(own.data()));
}

bool SitePolicy::answers_to(std::string_view host_field) const {
  if (any_name_) return true;
  std::string host = lower(host_of(host_field));
  if (host.ends_with('.')) host.pop_back();
  // A plain address was not looked up, so nobody can have bent it.
  if (host.empty() || is_ip_address(host)) return !host.empty();
  return std::ranges::any_of(names_,
                             [&](const std::string& name) { return is_covered(host, name); });
}

std::optional<Problem> SitePolicy::refuse(const Request& request) const {
  const std::string_view host = request.headers.get("Host");
  // HTTP/1.0 knows no Host; browsers do not speak it.
  if (!host.empty() && !answers_to(host)) {
    return Problem{.status = 421,
                   .code = "forbidden",
                   .message = say::name_not_answered({.host = host_of(host)})};
  }
  if (!request.headers.has("Upgrade") || !request.headers.has_token("Connection", "upgrade"))
    return std::nullopt;
  if (auto same = check_same_origin(request); !same)
    return Problem{.status = 403, .code = "forbidden", .message = same.error().message};
  return std::nullopt;
}

Result<void> check_same_origin(const Request& request) {
  const std::string_view site = request.headers.get("Sec-Fetch-Site");
  const std::string_view origin = request.headers.get("Origin");
  const std::size_t host_at = origin.find("://");
  const bool is_foreign_origin =
      !origin.empty() &&
      (host_at == std::string_view::npos ||
       !same_text_ignoring_case(origin.substr(host_at + 3), request.headers.get("Host")) ||
       (request.is_secure && !origin.starts_with("https://")));
  const bool is_foreign_site = !site.empty() && site != "same-origin" && site != "none";
  if (is_foreign_origin || is_foreign_site) return fail(Errc::Forbidden, say::foreign_page());
  return {};
}

}  // namespace ty::net
