#include "store/impl/handles.h"

#include <fmt/format.h>

namespace ty::store {

namespace {

Result<bool> is_taken(Tx& tx, UserId owner, std::string_view handle) {
  TY_TRY(auto found,
         tx.value<std::int64_t>(
             "select seq from jobs where owner_id = :owner and handle = :handle", owner, handle));
  return found.has_value();
}

}  // namespace

Result<std::string> free_handle(Tx& tx, UserId owner, std::string_view name) {
  TY_TRY(const bool taken, is_taken(tx, owner, name));
  if (!taken) return std::string(name);
  TY_TRY(auto next,
         tx.changed_value<std::int64_t>(
             "insert into handle_numbers (owner_id, name, number) values (:owner, :name, 2) "
             "on conflict (owner_id, name) do update set number = handle_numbers.number + 1 "
             "returning number",
             owner,
             name));
  if (!next) return fail(Errc::Internal, "the database gave no number for a repeated name");
  std::int64_t number = *next;
  // Someone may have called a job `name-2` outright. Growing steps keep a long row of such names
  // cheap.
  for (std::int64_t step = 1;; step *= 2) {
    std::string handle = fmt::format("{}-{}", name, number);
    TY_TRY(const bool in_use, is_taken(tx, owner, handle));
    if (!in_use) {
      if (number != *next) {
        TY_DO(tx.exec(
            "update handle_numbers set number = :number where owner_id = :owner and name = :name",
            number,
            owner,
            name));
      }
      return handle;
    }
    number += step;
  }
}

}  // namespace ty::store
