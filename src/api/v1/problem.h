#pragma once
#include "base/result.h"
#include "net/http.h"

namespace ty::api::v1 {

/// The answer of every failed call: `{"code","message","details","request_id"}`.
net::Response problem(const Error& error, const net::Request& request);

}  // namespace ty::api::v1
