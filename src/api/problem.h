#pragma once
#include "base/result.h"
#include "net/http.h"

namespace ty::api {

/// What an error is in HTTP: the one place where `Errc` meets status codes.
int http_status(Errc code);

/// The answer of every failed call: `{"code","message","details","request_id"}`.
net::Response problem(const Error& error, const net::Request& request);

}  // namespace ty::api
