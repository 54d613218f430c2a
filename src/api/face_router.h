#pragma once
#include <boost/asio/awaitable.hpp>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "api/face.h"
#include "net/router.h"

namespace ty::api {

/// From a request to the operation of the face it belongs to: reads the token as the face does,
/// checks who asks and whether they may, runs it, and gives every failure the face's shape, also
/// that of an address or a method that does not exist. Filled at construction, then read-only and
/// used by all threads.
class FaceRouter {
 public:
  struct Parts {
    std::function<boost::asio::awaitable<Result<auth::Principal>>(Secret token)> authenticate;
    std::function<Answer(const Operation& operation, Call& call)> run;
    std::function<void()> refused;  ///< counts
  };

  /// Two faces with the same route or operation id are a programming error and abort.
  FaceRouter(std::span<const Face* const> faces, Parts parts);

  boost::asio::awaitable<net::Response> handle(net::Request& request);
  bool has_route(net::Request& request) const { return router_.find(request).route != nullptr; }

  /// By the number of a route.
  const std::vector<std::string_view>& operation_ids() const { return ids_; }

 private:
  void add(const Face& face, const Operation& operation);
  Answer let_in(const Face& face, const Operation& operation, net::Request& request);
  net::Response no_route(net::Request& request, const net::Router::Match& match) const;

  std::span<const Face* const> faces_;
  Parts parts_;
  net::Router router_;
  std::vector<std::string_view> ids_;
};

}  // namespace ty::api
