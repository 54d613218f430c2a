#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "jobspec/impl/tree.h"
#include "jobspec/issue.h"

namespace ty::jobspec {

inline constexpr std::size_t kMaxIssues = 100;

/// Gathers what is wrong with one document. A value that is read for several roles is complained
/// about once.
class Report {
 public:
  void error(Ref at, std::string_view code, std::string message) {
    add(errors, Severity::Error, at, at.tree().position(at), code, std::move(message));
  }
  void error_at_key(Ref at, std::string_view code, std::string message) {
    add(errors, Severity::Error, at, at.tree().key_position(at), code, std::move(message));
  }
  void warn(Ref at, std::string_view code, std::string message) {
    add(warnings, Severity::Warning, at, at.tree().position(at), code, std::move(message));
  }
  void warn_at_key(Ref at, std::string_view code, std::string message) {
    add(warnings, Severity::Warning, at, at.tree().key_position(at), code, std::move(message));
  }
  /// A key that should be there: named with its path, shown at its parent.
  void missing(Ref parent, std::string_view key, std::string message);

  std::vector<Issue> errors;
  std::vector<Issue> warnings;

 private:
  static void add(std::vector<Issue>& to,
                  Severity severity,
                  Ref at,
                  Position position,
                  std::string_view code,
                  std::string message);
};

/// `"two"`, `5`, `a list`: how a message quotes what was written, cut at 60 characters.
std::string quoted(Ref value);

/// By position, the first hundred.
void sort_and_cut(std::vector<Issue>& issues);

}  // namespace ty::jobspec
