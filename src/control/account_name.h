#pragma once
#include <string_view>

#include "base/result.h"

namespace ty::control {

/// Whether a user or a workspace may be called so: it becomes part of addresses, folders and
/// handles.
Result<void> check_user_name(std::string_view name);
Result<void> check_workspace_name(std::string_view name);

}  // namespace ty::control
