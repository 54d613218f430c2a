#include "store/impl/placeholders.h"

#include <algorithm>
#include <cctype>
#include <vector>

namespace ty::store {

namespace {
bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
}  // namespace

NumberedSql number_placeholders(std::string_view sql) {
  NumberedSql out;
  std::vector<std::string_view> names;
  const auto copy_until = [&](std::size_t from, std::size_t end) {
    end = std::min(end, sql.size());
    out.sql.append(sql.substr(from, end - from));
    return end;
  };
  for (std::size_t i = 0; i < sql.size();) {
    const char c = sql[i];
    if (c == '\'' || c == '"') {
      const std::size_t close = sql.find(c, i + 1);
      i = copy_until(i, close == sql.npos ? sql.size() : close + 1);
    } else if (sql.substr(i, 2) == "--") {
      i = copy_until(i, sql.find('\n', i));
    } else if (sql.substr(i, 2) == "::") {
      i = copy_until(i, i + 2);
    } else if (c == ':' && i + 1 < sql.size() && is_word(sql[i + 1])) {
      std::size_t end = i + 1;
      while (end < sql.size() && is_word(sql[end])) ++end;
      const std::string_view name = sql.substr(i + 1, end - i - 1);
      auto found = std::find(names.begin(), names.end(), name);
      if (found == names.end()) found = names.insert(names.end(), name);
      out.sql += "$" + std::to_string(found - names.begin() + 1);
      i = end;
    } else {
      out.sql += c;
      ++i;
    }
  }
  out.count = static_cast<int>(names.size());
  return out;
}

}  // namespace ty::store
