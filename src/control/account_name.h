#pragma once
#include <string_view>

#include "base/result.h"

namespace ty::control {

/// Whether a user or a workspace may be called so: it becomes part of addresses, folders and
/// handles. `what`: user, workspace.
Result<void> check_account_name(std::string_view name, std::string_view what);

}  // namespace ty::control
