#pragma once
#include <span>
#include <string_view>

#include "api/operation.h"

namespace ty::api {

/// The token of a request and whether it came by itself, as cookies do.
struct Presented {
  Secret token;
  bool by_cookie = false;
};

/// One API that the server speaks: which addresses are its own, what can be called there, how a
/// request says who asks, and how a failure looks. Its folder holds all of that; `faces.cc` names
/// it. What is the same for all of them is in `FaceRouter`.
struct Face {
  std::string_view name;
  /// Where its addresses begin; every one below belongs to the face, also those without a route,
  /// unless a longer prefix of another face takes them.
  std::span<const std::string_view> prefixes;
  std::string_view contract;  ///< the embedded OpenAPI document that lists its operations
  std::span<const Operation> operations;
  Presented (*read_token)(const net::Request& request);
  net::Response (*shape_error)(const Error& error, const net::Request& request);
};

/// The face that an address belongs to, by the longest prefix of whole path parts; null when none.
const Face* owner_of(std::string_view path, std::span<const Face* const> faces);

}  // namespace ty::api
