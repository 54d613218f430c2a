#include "jobspec/ffdl/command.h"

namespace ty::jobspec::ffdl {
namespace {
constexpr std::string_view kHead = "mpirun --allow-run-as-root -np ";
constexpr std::string_view kTail = " --hostfile \"$TRAINYARD_HOSTFILE\" bash -c '";
constexpr std::string_view kQuote = "'\\''";
}  // namespace

std::string launch_by_mpi(const std::string& command, std::int64_t ranks) {
  std::string out = std::string(kHead) + std::to_string(ranks) + std::string(kTail);
  for (const char c : command) {
    if (c == '\'')
      out += kQuote;
    else
      out += c;
  }
  return out + "'";
}

std::optional<std::string> launched_by_mpi(std::string_view script) {
  const std::size_t tail = script.find(kTail);
  if (!script.starts_with(kHead) || tail == std::string_view::npos || !script.ends_with('\''))
    return std::nullopt;
  const std::string_view quoted =
      script.substr(tail + kTail.size(), script.size() - tail - kTail.size() - 1);
  std::string out;
  for (std::size_t i = 0; i < quoted.size();) {
    if (quoted.substr(i).starts_with(kQuote)) {
      out += '\'';
      i += kQuote.size();
    } else {
      out += quoted[i++];
    }
  }
  return out;
}

}  // namespace ty::jobspec::ffdl
