#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

/// The target of a request, taken apart. Stricter than a browser where it protects us (dot
/// segments, control characters, broken escapes and broken UTF-8 are refused), more lenient where
/// people type (`|`, `[`, quotes in a query).
namespace ty::net {

struct Target {
  std::string path;                   ///< as sent, without query
  std::vector<std::string> segments;  ///< decoded, without empty ones: `/a//b%2Fc/` is `a`, `b/c`
  std::vector<std::pair<std::string, std::string>> query;  ///< decoded, in order; `+` is a blank
};

/// Origin form (`/path?query`), or absolute form, whose authority is dropped. Reuses the memory of
/// `into`.
Result<void> parse_target(std::string_view text, Target& into);
Result<std::vector<std::pair<std::string, std::string>>> parse_query(std::string_view text);

/// `%41` → `A`; nothing when an escape is broken or the result is not UTF-8 or holds control
/// characters.
std::optional<std::string> percent_decode(std::string_view text, bool plus_is_blank = false);
/// Everything but letters, digits and `-._~` escaped.
std::string percent_encode(std::string_view text);
/// `?a=1&b=x%20y`, or nothing without parameters.
std::string make_query(const std::vector<std::pair<std::string, std::string>>& parameters);

}  // namespace ty::net
