#include "engine/image_name.h"

#include <algorithm>

#include "base/text.h"
#include "engine/messages.h"

namespace ty::engine {

namespace {

constexpr std::size_t kLongestName = 255;
constexpr std::size_t kLongestTag = 128;

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); }

/// `a`, `a-b`, `a.b`, `a__b`: begins and ends with a letter or digit, with `.`, `_`, `__` or dashes
/// between them.
bool is_path_part(std::string_view part) {
  std::string_view between;
  for (std::size_t i = 0; i < part.size(); ++i) {
    if (is_lower(part[i]) || is_digit(part[i])) {
      const bool dashes = between.find_first_not_of('-') == std::string_view::npos;
      if (!dashes && between != "." && between != "_" && between != "__") return false;
      between = {};
      continue;
    }
    if (part[i] != '.' && part[i] != '_' && part[i] != '-') return false;
    if (i == 0) return false;
    between = part.substr(i - between.size(), between.size() + 1);
  }
  return !part.empty() && between.empty();
}

bool is_host_label(std::string_view label) {
  const auto good = [](char c) { return is_lower(c) || is_upper(c) || is_digit(c); };
  return !label.empty() && good(label.front()) && good(label.back()) &&
         std::ranges::all_of(label, [&](char c) { return good(c) || c == '-'; });
}

/// `registry.example.org`, `localhost:5000`, `[::1]:5000`.
bool is_host(std::string_view text) {
  std::string_view host = text;
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos || end < 2) return false;
    const std::string_view inside = text.substr(1, end - 1);
    const bool is_address = std::ranges::all_of(inside, [](char c) {
      return is_digit(c) || c == ':' || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    });
    const std::string_view rest = text.substr(end + 1);
    const bool has_port = rest.starts_with(':') && rest.size() > 1 && rest.size() <= 6 &&
                          std::ranges::all_of(rest.substr(1), is_digit);
    return is_address && (rest.empty() || has_port);
  }
  if (const std::size_t colon = text.find(':'); colon != std::string_view::npos) {
    const std::string_view port = text.substr(colon + 1);
    if (port.empty() || port.size() > 5 || !std::ranges::all_of(port, is_digit)) return false;
    host = text.substr(0, colon);
  }
  return std::ranges::all_of(split(host, '.'),
                             [](const std::string& l) { return is_host_label(l); });
}

bool is_tag(std::string_view tag) {
  const auto word = [](char c) { return is_lower(c) || is_upper(c) || is_digit(c) || c == '_'; };
  return !tag.empty() && tag.size() <= kLongestTag && word(tag.front()) &&
         std::ranges::all_of(tag, [&](char c) { return word(c) || c == '.' || c == '-'; });
}

bool is_digest(std::string_view digest) {
  const std::size_t colon = digest.find(':');
  if (colon == std::string_view::npos || colon == 0) return false;
  const std::string_view hex = digest.substr(colon + 1);
  return std::ranges::all_of(digest.substr(0, colon),
                             [](char c) { return is_lower(c) || is_digit(c); }) &&
         hex.size() >= 32 && hex.size() <= 128 && std::ranges::all_of(hex, is_hex);
}

/// The part before the first slash, where that is a host; else empty.
std::string_view host_part(std::string_view image) {
  const std::size_t slash = image.find('/');
  if (slash == std::string_view::npos) return {};
  const std::string_view first = image.substr(0, slash);
  const bool is_a_host = first.find_first_of(".:") != std::string_view::npos ||
                         first == "localhost" || std::ranges::any_of(first, is_upper);
  return is_a_host ? first : std::string_view();
}

}  // namespace

std::string registry_name(std::string_view text) {
  std::string name = to_lower(text);
  for (const std::string_view scheme : {"https://", "http://"}) {
    if (name.starts_with(scheme)) name.erase(0, scheme.size());
  }
  if (name.starts_with("index.docker.io") || name == "registry-1.docker.io") {
    const std::string_view rest = std::string_view(name).substr(name.find(".io") + 3);
    if (rest.empty() || rest == "/" || rest == "/v1" || rest == "/v1/") return "docker.io";
  }
  while (name.ends_with('/')) name.pop_back();
  return name;
}

std::string registry_of(std::string_view image) {
  const std::string_view host = host_part(image);
  return host.empty() ? "docker.io" : registry_name(host);
}

Result<ImageName> parse_image_name(std::string_view text) {
  const auto refuse = [&] {
    return fail(Errc::Invalid, say::image_name_invalid({.image = shorten(text)}));
  };
  ImageName name;
  if (text.starts_with("sha256:") && is_digest(text)) {
    name.digest = text;
    return name;
  }
  std::string_view rest = text;
  if (const std::size_t at = rest.find('@'); at != std::string_view::npos) {
    if (!is_digest(rest.substr(at + 1))) return refuse();
    name.digest = rest.substr(at + 1);
    rest = rest.substr(0, at);
  }
  const std::string_view host = host_part(rest);
  if (!host.empty()) {
    if (!is_host(host)) return refuse();
    rest.remove_prefix(host.size() + 1);
  }
  name.registry = registry_of(text);
  if (const std::size_t colon = rest.find(':'); colon != std::string_view::npos) {
    if (!is_tag(rest.substr(colon + 1))) return refuse();
    name.tag = rest.substr(colon + 1);
    rest = rest.substr(0, colon);
  }
  const std::vector<std::string> parts = split(rest, '/');
  const bool are_parts =
      std::ranges::all_of(parts, [](const std::string& part) { return is_path_part(part); });
  if (!are_parts || rest.size() > kLongestName) return refuse();
  name.path = rest;
  return name;
}

}  // namespace ty::engine
