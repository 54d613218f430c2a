#pragma once
#include "base/result.h"

namespace ty::api {

/// What an error is in HTTP, whatever the face: the one place where `Errc` meets status codes.
int http_status(Errc code);

}  // namespace ty::api
