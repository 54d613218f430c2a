#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "net/http.h"

namespace ty::net {

struct Route {
  Method method = Method::Get;
  std::string
      pattern;  ///< `/api/v1/jobs/{id}/logs`; a last part `{rest...}` takes all that is left
  std::string operation;  ///< the contract's operationId
  Handler handler;
  std::size_t number = 0;  ///< set by the router: counts from 0 in the order of `add`
};

/// From a request to its handler: a tree over path segments, literal parts before `{name}` parts.
/// Filled before the server starts, read-only and shared by all threads afterwards.
class Router {
 public:
  Router();
  ~Router();
  Router(Router&&) noexcept;
  Router& operator=(Router&&) noexcept;

  /// Two routes for the same method and pattern are a programming error and abort.
  void add(Route route);

  struct Match {
    const Route* route = nullptr;
    std::string allow;  ///< when the path exists but not with this method: what `Allow` should say
  };
  /// HEAD finds the route of GET. Fills `request.route` and `route_values` when it matches.
  Match find(Request& request) const;

  /// Finds and calls; 404, 405 with Allow, and OPTIONS are answered here.
  boost::asio::awaitable<Response> handle(Request& request) const;

  std::vector<const Route*> routes() const;

 private:
  struct Entry;
  struct Node;
  std::unique_ptr<Node> root_;
  std::vector<std::unique_ptr<Entry>> entries_;
};

}  // namespace ty::net
