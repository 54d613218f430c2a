#pragma once
#include "api/face.h"

/// Our own API: contract/openapi.yaml.
namespace ty::api::v1 {

const Face& face();

}  // namespace ty::api::v1
