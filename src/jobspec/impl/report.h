#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/secret.h"
#include "jobspec/impl/quantity.h"
#include "jobspec/impl/tree.h"
#include "jobspec/issue.h"
#include "model/job_spec.h"

namespace ty::jobspec {

inline constexpr std::size_t kMaxIssues = 100;

/// Gathers what is wrong with one document. A value that is read for several roles is complained
/// about once.
class Report {
 public:
  void error(Ref at, std::string_view code, Message message) {
    add(errors, Severity::Error, at, at.tree().position(at), code, std::move(message));
  }
  void error_at_key(Ref at, std::string_view code, Message message) {
    add(errors, Severity::Error, at, at.tree().key_position(at), code, std::move(message));
  }
  void warn(Ref at, std::string_view code, Message message) {
    add(warnings, Severity::Warning, at, at.tree().position(at), code, std::move(message));
  }
  void warn_at_key(Ref at, std::string_view code, Message message) {
    add(warnings, Severity::Warning, at, at.tree().key_position(at), code, std::move(message));
  }
  /// A key that should be there: named with its path, shown at its parent.
  void missing(Ref parent, std::string_view key, std::string_view example);
  /// The same, where an example alone does not say what to write.
  void missing_with(Ref parent, std::string_view key, Message message);

  /// A value that is nobody's business. The model gets what is returned: a name under which the
  /// value travels beside it until `control` seals it (read.h). `at` is covered wherever the file
  /// is shown.
  model::SecretRef keep_secret(const std::string& name, std::string value, Ref at) {
    secrets[name] = Secret(std::move(value));
    hide(at);
    return {.sealed = "@" + name};
  }
  /// Covers a value of the file, and everything below it.
  void hide(Ref at) { hidden.push_back(at); }

  std::vector<Issue> errors;
  std::vector<Issue> warnings;
  std::map<std::string, Secret> secrets;
  std::vector<Ref> hidden;

 private:
  static void add(std::vector<Issue>& to,
                  Severity severity,
                  Ref at,
                  Position position,
                  std::string_view code,
                  Message message);
};

/// `"two"`, `5`, `a list`: how a message quotes what was written, cut at 60 characters.
Value quoted(Ref value);

/// By position, the first hundred.
void sort_and_cut(std::vector<Issue>& issues);

}  // namespace ty::jobspec
