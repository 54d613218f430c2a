#include "jobspec/impl/report.h"

#include <algorithm>
#include <tuple>

#include "base/text.h"
#include "jobspec/messages.h"

namespace ty::jobspec {

void Report::add(std::vector<Issue>& to,
                 Severity severity,
                 Ref at,
                 Position position,
                 std::string_view code,
                 Message message) {
  if (to.size() >= kMaxIssues) return;
  Issue issue{severity,
              std::string(code),
              at.tree().pointer(at),
              at.tree().path(at),
              position.line,
              position.column,
              std::move(message)};
  if (std::ranges::find(to, issue) == to.end()) to.push_back(std::move(issue));
}

void Report::missing(Ref parent, std::string_view key, std::string_view example) {
  missing_with(parent, key, say::missing_key({.example = example}));
}

void Report::missing_with(Ref parent, std::string_view key, Message message) {
  if (errors.size() >= kMaxIssues) return;
  const Position position = parent.tree().key_position(parent);
  Issue issue{Severity::Error,
              "missing",
              parent.tree().pointer(parent) + "/" + std::string(key),
              parent.tree().path(parent),
              position.line,
              position.column,
              std::move(message)};
  if (!issue.path.empty()) issue.path += '.';
  issue.path += key;
  if (std::ranges::find(errors, issue) == errors.end()) errors.push_back(std::move(issue));
}

Value quoted(Ref value) {
  switch (value->kind) {
    case Kind::Null:
      return say::an_empty_value();
    case Kind::List:
      return say::a_list();
    case Kind::Map:
      return say::a_map();
    case Kind::Scalar:
      break;
  }
  const std::string text = shorten(value->text);
  const bool number = value.is_plain() && is_json_number(value->text);
  return number ? text : in_quotes(value->text);
}

void sort_and_cut(std::vector<Issue>& issues) {
  std::ranges::sort(issues, [](const Issue& a, const Issue& b) {
    return std::tie(a.line, a.column, a.path, a.message.code) <
           std::tie(b.line, b.column, b.path, b.message.code);
  });
  if (issues.size() > kMaxIssues) issues.resize(kMaxIssues);
}

}  // namespace ty::jobspec
