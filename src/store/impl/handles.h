#pragma once
#include <string>
#include <string_view>

#include "base/result.h"
#include "store/tx.h"

namespace ty::store {

/// The name itself when the owner has no job so called, else `name-2`, `name-3`…: the first number
/// after the last one used for this name that is free. Looks at few rows however many jobs share
/// the name.
Result<std::string> free_handle(Tx& tx, UserId owner, std::string_view name);

}  // namespace ty::store
