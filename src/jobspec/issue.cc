#include "jobspec/issue.h"

#include <algorithm>

#include "jobspec/messages.h"

namespace ty::jobspec {

namespace {

Message with_place(const Issue& issue, std::string_view file) {
  std::string place;
  if (issue.line > 0) place = ":" + std::to_string(issue.line) + ":" + std::to_string(issue.column);
  if (!issue.path.empty()) place += ": " + issue.path;
  return say::fault_in_file({.file = file.empty() ? Value(say::the_job_file()) : Value(file),
                             .place = std::move(place),
                             .what = issue.message});
}

}  // namespace

std::string format_issue(const Issue& issue, std::string_view file, Language language) {
  return render(with_place(issue, file), language);
}

Error to_error(const std::vector<Issue>& issues, std::string_view file) {
  TY_CHECK(!issues.empty(), "an error needs a fault");
  const bool too_big =
      std::ranges::any_of(issues, [](const Issue& i) { return i.code == "too_big"; });
  Error error{too_big ? Errc::TooLarge : Errc::Invalid, with_place(issues.front(), file), {}};
  if (issues.size() > 1) {
    error.message =
        say::first_of_faults({.first = std::move(error.message), .count = issues.size() - 1});
  }
  for (const Issue& issue : issues) {
    error.details.push_back({issue.pointer, issue.message, issue.code, issue.line, issue.column});
  }
  return error;
}

}  // namespace ty::jobspec
