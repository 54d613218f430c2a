#pragma once
#include "api/json_writer.h"
#include "control/cluster/node_view.h"

namespace ty::api::v1 {

void write_node(JsonWriter& out, const control::NodeView& node);

}  // namespace ty::api::v1
