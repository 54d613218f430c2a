#include "jobspec/impl/notes.h"

#include <algorithm>

namespace ty::jobspec {

bool Notes::covers(std::string_view path) const {
  return std::ranges::any_of(issues, [&](const Issue& issue) {
    return path.starts_with(issue.path) &&
           (path.size() == issue.path.size() || path[issue.path.size()] == '.');
  });
}

void Notes::add(Severity severity, std::string_view code, std::string_view path, Message message) {
  Issue issue{.severity = severity,
              .code = std::string(code),
              .path = std::string(path),
              .message = std::move(message)};
  // Parts of a path may hold dots of their own (labels, variables); the pointer is for programs and
  // is only as exact as the path.
  issue.pointer = "/" + issue.path;
  std::ranges::replace(issue.pointer, '.', '/');
  if (std::ranges::find(issues, issue) == issues.end()) issues.push_back(std::move(issue));
}

}  // namespace ty::jobspec
