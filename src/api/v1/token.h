#pragma once
#include "api/face.h"

namespace ty::api::v1 {

/// `Authorization: Bearer TOKEN`, else the cookie of a browser that signed in.
Presented read_token(const net::Request& request);

/// The cookie as it is set and, with an empty token and no life, taken back.
std::string session_cookie(const net::Request& request, std::string_view token, Seconds life);

}  // namespace ty::api::v1
