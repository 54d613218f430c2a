#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "store/tx.h"

namespace ty::store {

/// What a job is called among its owner's: number 1 is the name itself, others are `name-2`,
/// `name-3`…
struct Handle {
  std::string_view name;
  std::int64_t number = 1;
  std::string text() const;
};

/// The number that `handle` gives to a job of this name.
std::int64_t handle_number(std::string_view handle, std::string_view name);

/// The owner's job that is called so. Two places to look: a job named like this, and the numbered
/// one of a shorter name.
Result<std::optional<JobSeq>> find_handle(Tx& tx, UserId owner, std::string_view handle);

/// The name itself when it is free, else the number after the largest in use. Looks at few rows
/// however many jobs share the name.
Result<Handle> free_handle(Tx& tx, UserId owner, std::string_view name);

}  // namespace ty::store
