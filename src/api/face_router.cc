#include "api/face_router.h"

#include <algorithm>

#include "api/messages.h"
#include "net/site_policy.h"
#include "rt/log.h"

namespace ty::api {

namespace asio = boost::asio;

namespace {

bool changes_things(net::Method method) {
  return method != net::Method::Get && method != net::Method::Head &&
         method != net::Method::Options;
}

/// `/api/v1` is the beginning of `/api/v1/jobs` and of itself, not of `/api/v10`.
bool begins_with(std::string_view path, std::string_view prefix) {
  if (prefix == "/") return true;
  return path.starts_with(prefix) && (path.size() == prefix.size() || path[prefix.size()] == '/');
}

}  // namespace

const Face* owner_of(std::string_view path, std::span<const Face* const> faces) {
  const Face* owner = nullptr;
  std::size_t longest = 0;
  for (const Face* face : faces) {
    for (const std::string_view prefix : face->prefixes) {
      if (prefix.size() <= longest || !begins_with(path, prefix)) continue;
      owner = face;
      longest = prefix.size();
    }
  }
  return owner;
}

FaceRouter::FaceRouter(std::span<const Face* const> faces, Parts parts)
    : faces_(faces), parts_(std::move(parts)) {
  for (const Face* face : faces_) {
    for (const Operation& operation : face->operations) {
      TY_CHECK(std::ranges::find(ids_, operation.id) == ids_.end(), "no two faces share an id");
      add(*face, operation);
    }
  }
}

void FaceRouter::add(const Face& face, const Operation& operation) {
  auto handler =
      [this, &face, &operation](net::Request& request) -> asio::awaitable<net::Response> {
    Result<net::Response> answer = co_await let_in(face, operation, request);
    net::Response response;
    if (answer) {
      response = *std::move(answer);
    } else {
      const Error& error = answer.error();
      response = face.shape_error(error, request);
      if (error.code == Errc::Internal)
        log::error("api.failed request={} operation={} problem={}",
                   request.id,
                   operation.id,
                   error.message);
    }
    response.headers.add("X-Content-Type-Options", "nosniff");
    if (!response.headers.has("Cache-Control")) response.headers.add("Cache-Control", "no-store");
    co_return response;
  };
  ids_.push_back(operation.id);
  router_.add({.method = operation.method,
               .pattern = std::string(operation.path),
               .operation = std::string(operation.id),
               .handler = std::move(handler)});
}

Answer FaceRouter::let_in(const Face& face, const Operation& operation, net::Request& request) {
  Call call{.request = request};
  // Also where nobody need be signed in: a page of another site must not sign its visitors in, as
  // whoever it likes. What carries no cookie and comes from no page passes.
  if (operation.caller == Caller::Anyone && changes_things(request.method)) {
    if (auto same = net::check_same_origin(request); !same) {
      parts_.refused();
      co_return std::unexpected(std::move(same).error());
    }
  }
  if (operation.caller != Caller::Anyone) {
    Presented given = face.read_token(request);
    if (given.token.empty()) {
      parts_.refused();
      co_return fail(Errc::Unauthenticated, say::sign_in_first());
    }
    auto who = co_await parts_.authenticate(given.token);
    if (!who) {
      parts_.refused();
      co_return std::unexpected(std::move(who).error());
    }
    Result<void> allowed = may_call(operation, *who);
    // Browsers send cookies with requests that other sites' pages make.
    if (allowed && given.by_cookie && changes_things(request.method))
      allowed = net::check_same_origin(request);
    if (!allowed) {
      parts_.refused();
      co_return std::unexpected(std::move(allowed).error());
    }
    call.who = *std::move(who);
    call.token = std::move(given.token);
  }
  co_return co_await parts_.run(operation, call);
}

asio::awaitable<net::Response> FaceRouter::handle(net::Request& request) {
  const net::Router::Match match = router_.find(request);
  if (match.route == nullptr) co_return no_route(request, match);
  co_return co_await match.route->handler(request);
}

net::Response FaceRouter::no_route(net::Request& request, const net::Router::Match& match) const {
  if (request.method == net::Method::Options && !match.allow.empty()) {
    net::Response response = net::empty_response(204);
    response.headers.add("Allow", match.allow);
    return response;
  }
  const Face* face = owner_of(request.target.path, faces_);
  TY_CHECK(face != nullptr, "the site's prefix is the beginning of every path");
  if (match.allow.empty()) {
    const Error error{Errc::NotFound, say::nothing_there({.path = request.target.path}), {}};
    return face->shape_error(error, request);
  }
  const Error error{Errc::Invalid,
                    say::method_not_allowed({.path = request.target.path, .methods = match.allow}),
                    {}};
  net::Response response = face->shape_error(error, request);
  response.status = 405;
  response.headers.add("Allow", match.allow);
  return response;
}

}  // namespace ty::api
