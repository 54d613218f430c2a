#include "cli/flags.h"

#include <algorithm>

#include "base/text.h"

namespace ty::cli {

namespace {

/// Flags that are not called as the API calls what they set.
struct Renamed {
  std::string_view parameter;
  std::string_view flag;
};
constexpr Renamed kRenamed[] = {
    {"time_limit", "--time"},
    {"expires_in", "--expires"},
    {"scopes", "--scope"},
    {"username", "--user"},
};

bool has(const CLI::App& command, const std::string& flag) {
  return command.get_option_no_throw(flag) != nullptr;
}

}  // namespace

std::string flag_of(const CLI::App& command, std::string_view pointer) {
  if (pointer.size() < 2 || (pointer[0] != '?' && pointer[0] != '/')) return std::string(pointer);
  std::string name(pointer.substr(1, pointer.find('/', 1) - 1));
  for (const auto& [parameter, flag] : kRenamed) {
    if (parameter == name && has(command, std::string(flag))) return std::string(flag);
  }
  std::ranges::replace(name, '_', '-');
  if (has(command, "--" + name)) return "--" + name;
  if (has(command, to_upper(name))) return to_upper(name);
  return std::string(pointer);
}

}  // namespace ty::cli
