#pragma once
#include <string>
#include <string_view>

#include "api/face.h"
#include "base/time.h"

namespace ty::api::v1 {

/// `Authorization: Bearer …`, or the cookie of a signed-in browser.
Presented read_token(const net::Request& request);

/// Gives the browser its session, or with an empty token takes it away.
std::string session_cookie(const net::Request& request, std::string_view token, Seconds life);

/// What a browser shows at its next sign-in, so that guesses of others are not in its way
/// (auth/rate_limit.h). It opens nothing.
Secret read_device(const net::Request& request);
std::string device_cookie(const net::Request& request, std::string_view device);

}  // namespace ty::api::v1
