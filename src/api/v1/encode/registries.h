#pragma once
#include "api/json_writer.h"
#include "control/registries/registry_service.h"

namespace ty::api::v1 {

void write_registry(JsonWriter& out, const control::RegistryView& login);

}  // namespace ty::api::v1
