#pragma once
#include <boost/asio/awaitable.hpp>
#include <boost/json/value.hpp>

#include "api/json_reader.h"
#include "net/http.h"

namespace ty::api {

/// A small JSON body; none at all is an empty object, so that calls without fields need no body.
boost::asio::awaitable<Result<boost::json::value>> read_json(net::Request& request);

}  // namespace ty::api
