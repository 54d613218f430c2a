#include "api/v1/encode/registries.h"

#include <optional>
#include <string>

namespace ty::api::v1 {

void write_registry(JsonWriter& out, const control::RegistryView& login) {
  std::optional<std::string> workspace;
  if (!login.workspace.empty()) workspace = login.workspace;
  out.object()
      .field("server", login.server)
      .field("username", login.username)
      .field("workspace", workspace)
      .end_object();
}

}  // namespace ty::api::v1
