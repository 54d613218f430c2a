#include "control/account_name.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace ty::control {

Result<void> check_account_name(std::string_view name, std::string_view what) {
  const bool good = !name.empty() && name.size() <= 64 &&
                    std::isalnum(static_cast<unsigned char>(name.front())) &&
                    std::ranges::all_of(name, [](unsigned char c) {
                      return std::isalnum(c) || c == '_' || c == '.' || c == '-';
                    });
  if (good) return {};
  return fail(
      Errc::Invalid,
      fmt::format("\"{}\" is no {} name", shorten(name), what),
      {{"/name",
        "use 1 to 64 letters, digits, \"-\", \"_\", \".\", beginning with a letter or digit",
        "pattern"}});
}

}  // namespace ty::control
