#pragma once
#include <span>

#include "api/face.h"

namespace ty::api {

/// Every API this server speaks.
std::span<const Face* const> faces();

}  // namespace ty::api
