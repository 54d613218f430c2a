#include "net/router.h"

#include <algorithm>
#include <map>
#include <optional>

#include "base/text.h"
#include "net/messages.h"

namespace ty::net {

namespace asio = boost::asio;

/// A route and what `{name}` parts it has, so that a request need not take the pattern apart again.
struct Router::Entry {
  Route route;
  std::vector<std::pair<std::size_t, std::string>> names;  ///< which segment, which name
  std::optional<std::pair<std::size_t, std::string>> rest;
};

/// One place in the tree of paths. A request walks down literal children first and comes back to
/// `{name}` where that leads nowhere, so `/jobs/search` and `/jobs/{id}` can stand side by side.
struct Router::Node {
  std::map<std::string, std::unique_ptr<Node>, std::less<>> literal;
  std::unique_ptr<Node> any;
  std::vector<const Entry*> here;   ///< of exactly this path, one per method
  std::vector<const Entry*> below;  ///< `{rest...}` under this path
};

namespace {

bool is_name(std::string_view part) { return part.starts_with('{') && part.ends_with('}'); }
bool is_rest(std::string_view part) { return is_name(part) && part.ends_with("...}"); }

/// What follows the first `segments` segments of a path, as it was sent: its slashes are part of
/// it.
std::string_view path_after(std::string_view path, std::size_t segments) {
  for (std::size_t skipped = 0; !path.empty();) {
    path.remove_prefix(1);
    if (skipped == segments) break;
    const std::size_t slash = std::min(path.find('/'), path.size());
    if (slash > 0) ++skipped;
    path.remove_prefix(slash);
  }
  return path;
}

}  // namespace

Router::Router() : root_(std::make_unique<Node>()) {}
Router::~Router() = default;
Router::Router(Router&&) noexcept = default;
Router& Router::operator=(Router&&) noexcept = default;

void Router::add(Route route) {
  TY_CHECK(route.pattern.starts_with('/'), "a route's pattern begins with a slash");
  auto entry = std::make_unique<Entry>();
  Node* node = root_.get();
  std::size_t position = 0;
  for (const std::string& part : split(std::string_view(route.pattern).substr(1), '/')) {
    if (part.empty()) continue;
    TY_CHECK(!entry->rest, "{rest...} is the last part of its pattern");
    if (is_rest(part)) {
      entry->rest.emplace(position, part.substr(1, part.size() - 5));
      continue;
    }
    if (is_name(part)) entry->names.emplace_back(position, part.substr(1, part.size() - 2));
    auto& child = is_name(part) ? node->any : node->literal[part];
    if (!child) child = std::make_unique<Node>();
    node = child.get();
    ++position;
  }
  auto& place = entry->rest ? node->below : node->here;
  for (const Entry* other : place) {
    TY_CHECK(other->route.method != route.method, "each method and path has one route");
  }
  entry->route = std::move(route);
  entry->route.number = entries_.size();
  place.push_back(entry.get());
  entries_.push_back(std::move(entry));
}

Router::Match Router::find(Request& request) const {
  const auto& segments = request.target.segments;
  const Entry* found = nullptr;
  std::vector<const Entry*> seen;  // same path, other method: they make up Allow
  const auto look = [&](const std::vector<const Entry*>& entries) {
    for (const Entry* entry : entries) {
      if (entry->route.method == request.method) return (found = entry, true);
      if (entry->route.method == Method::Get && request.method == Method::Head) found = entry;
    }
    if (found == nullptr) seen.insert(seen.end(), entries.begin(), entries.end());
    return found != nullptr;
  };
  const auto walk = [&](const auto& self, const Node& node, std::size_t i) -> bool {
    if (i == segments.size()) {
      if (look(node.here)) return true;
    } else {
      const auto literal = node.literal.find(segments[i]);
      if (literal != node.literal.end() && self(self, *literal->second, i + 1)) return true;
      if (node.any && self(self, *node.any, i + 1)) return true;
    }
    return look(node.below);
  };
  request.route = nullptr;
  request.route_values.clear();
  if (walk(walk, *root_, 0)) {
    for (const auto& [at, name] : found->names)
      request.route_values.emplace_back(name, segments[at]);
    if (found->rest) {
      request.route_values.emplace_back(found->rest->second,
                                        path_after(request.target.path, found->rest->first));
    }
    request.route = &found->route;
    return {.route = &found->route};
  }
  Match match;
  std::vector<std::string_view> methods;
  const auto allow = [&](Method method) {
    const std::string_view word = to_string(method);
    if (std::ranges::find(methods, word) == methods.end()) methods.push_back(word);
  };
  for (const Entry* entry : seen) {
    allow(entry->route.method);
    if (entry->route.method == Method::Get) allow(Method::Head);
  }
  if (!seen.empty()) allow(Method::Options);
  for (const std::string_view word : methods) {
    if (!match.allow.empty()) match.allow += ", ";
    match.allow += word;
  }
  return match;
}

asio::awaitable<Response> Router::handle(Request& request) const {
  const Match match = find(request);
  if (match.route != nullptr) co_return co_await match.route->handler(request);
  if (match.allow.empty()) {
    const Problem problem{.status = 404,
                          .code = "not_found",
                          .message = say::nothing_at_path({.path = request.target.path})};
    co_return problem_response(problem, request.id);
  }
  if (request.method == Method::Options) {
    Response response = empty_response(204);
    response.headers.add("Allow", match.allow);
    co_return response;
  }
  const Problem problem{
      .status = 405,
      .code = "invalid",
      .message = say::method_not_taken({.path = request.target.path, .methods = match.allow})};
  Response response = problem_response(problem, request.id);
  response.headers.add("Allow", match.allow);
  co_return response;
}

std::vector<const Route*> Router::routes() const {
  std::vector<const Route*> all;
  for (const auto& entry : entries_) all.push_back(&entry->route);
  return all;
}

}  // namespace ty::net
