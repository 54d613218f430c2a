#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "jobspec/impl/report.h"
#include "jobspec/impl/tree.h"

namespace ty::jobspec {

/// Values of one job's parameters, and `${{ name }}` in its texts. `$${{` stands for `${{` itself.
class Params {
 public:
  /// `given` are the values of `-p`: they replace those of the file and add to them.
  explicit Params(std::map<std::string, std::string> given) : given_(std::move(given)) {}

  /// Reads the file's `params`.
  void read(Ref map, Report& report);

  /// The text with its parameters filled in; a parameter without value is reported, once.
  std::string render(Ref at, std::string_view text, Report& report);

  /// The values this job knows, as JSON.
  std::string to_json() const;

  /// The value of `-p name=…` for dialects with parameters of their own; names the parameter.
  std::optional<std::string> given(const std::string& name) {
    names_.insert(name);
    const auto found = given_.find(name);
    return found == given_.end() ? std::nullopt : std::optional(found->second);
  }

  const std::set<std::string>& names() const { return names_; }  ///< of the file, and used ones
  bool declares_any() const { return !order_.empty(); }

 private:
  struct Value {
    std::string text;
    std::string json;
  };
  std::map<std::string, std::string> given_;
  std::map<std::string, Value, std::less<>> values_;
  std::vector<std::string> order_;
  std::set<std::string> names_;
};

/// `0.1`, `true`, `"adam"`: a value of the command line has no quotes, it is what it looks like.
std::string json_of_given(const std::string& text);

/// A literal text as it must be written so that render() gives it back.
std::string escape_template(std::string_view text);

}  // namespace ty::jobspec
