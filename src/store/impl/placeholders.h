#pragma once
#include <string>
#include <string_view>

namespace ty::store {

struct NumberedSql {
  std::string sql;
  int count = 0;
};

/// `:name` as `$1`, `$2`…, numbered by first appearance, as SQLite numbers them; quotes, comments
/// and `::casts` are left alone.
NumberedSql number_placeholders(std::string_view sql);

}  // namespace ty::store
