#include "jobspec/issue.h"

#include <algorithm>

namespace ty::jobspec {

std::string format_issue(const Issue& issue, std::string_view file) {
  std::string out(file.empty() ? "job file" : file);
  if (issue.line > 0) out += ":" + std::to_string(issue.line) + ":" + std::to_string(issue.column);
  out += ": ";
  if (!issue.path.empty()) out += issue.path + ": ";
  return out + issue.message;
}

Error to_error(const std::vector<Issue>& issues, std::string_view file) {
  TY_CHECK(!issues.empty(), "an error needs a fault");
  const bool too_big =
      std::ranges::any_of(issues, [](const Issue& i) { return i.code == "too_big"; });
  Error error{too_big ? Errc::TooLarge : Errc::Invalid, format_issue(issues.front(), file), {}};
  if (issues.size() > 1) error.message += " (and " + std::to_string(issues.size() - 1) + " more)";
  for (const Issue& issue : issues) {
    error.details.push_back({issue.pointer, issue.message, issue.code, issue.line, issue.column});
  }
  return error;
}

}  // namespace ty::jobspec
