#include "store/impl/handles.h"

#include <fmt/format.h>

#include <charconv>

namespace ty::store {

namespace {

Result<std::optional<JobSeq>> find_numbered(Tx& tx,
                                            UserId owner,
                                            std::string_view name,
                                            std::int64_t number) {
  return tx.value<JobSeq>(
      "select seq from jobs where owner_id = :owner and name = :name and handle_number = :number",
      owner,
      name,
      number);
}

/// `mnist-12` as (`mnist`, 12), when it is a number that we would write so.
std::optional<Handle> numbered(std::string_view handle) {
  const std::size_t dash = handle.rfind('-');
  if (dash == handle.npos || dash == 0) return std::nullopt;
  Handle parts{.name = handle.substr(0, dash)};
  const std::string_view digits = handle.substr(dash + 1);
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), parts.number);
  const bool whole = error == std::errc{} && end == digits.data() + digits.size();
  if (!whole || parts.number < 2 || digits.front() == '0') return std::nullopt;
  return parts;
}

}  // namespace

std::string Handle::text() const {
  return number == 1 ? std::string(name) : fmt::format("{}-{}", name, number);
}

std::int64_t handle_number(std::string_view handle, std::string_view name) {
  if (handle == name) return 1;
  const auto parts = numbered(handle);
  return parts ? parts->number : 1;
}

Result<std::optional<JobSeq>> find_handle(Tx& tx, UserId owner, std::string_view handle) {
  TY_TRY(auto seq, find_numbered(tx, owner, handle, 1));
  if (seq) return seq;
  const auto parts = numbered(handle);
  if (!parts) return std::nullopt;
  return find_numbered(tx, owner, parts->name, parts->number);
}

Result<Handle> free_handle(Tx& tx, UserId owner, std::string_view name) {
  Handle handle{.name = name};
  TY_TRY(auto taken, find_handle(tx, owner, name));
  if (!taken) return handle;
  TY_TRY(auto largest,
         tx.value<std::int64_t>(
             "select handle_number from jobs where owner_id = :owner and name = :name "
             "order by handle_number desc limit 1",
             owner,
             name));
  handle.number = largest.value_or(1) + 1;
  // Someone may have called a job `name-2` outright. Growing steps keep a long row of such names
  // cheap.
  for (std::int64_t step = 1;; step *= 2) {
    TY_TRY(auto in_use, find_numbered(tx, owner, handle.text(), 1));
    if (!in_use) return handle;
    handle.number += step;
  }
}

}  // namespace ty::store
