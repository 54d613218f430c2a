#include "api/body.h"

#include <boost/json/object.hpp>

#include "api/context.h"
#include "base/text.h"

namespace ty::api {

namespace asio = boost::asio;

asio::awaitable<Result<boost::json::value>> read_json(net::Request& request) {
  constexpr std::uint64_t limit = std::uint64_t{64} * 1024;
  TY_CO_TRY(const std::string body, co_await read_body(request, limit));
  if (trim(body).empty()) co_return boost::json::value(boost::json::object());
  co_return parse_json(body);
}

}  // namespace ty::api
