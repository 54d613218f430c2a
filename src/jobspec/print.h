#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/message.h"
#include "jobspec/issue.h"
#include "model/job_spec.h"

namespace ty::jobspec {

/// Canonical native YAML: keys in the order of the reference page, only values that differ from
/// their default. `read(print_native(spec))` gives `spec` back for every native spec that read()
/// accepts.
std::string print_native(const model::JobSpec& spec);

/// A job in some dialect, and what of it could not be said there.
struct Printed {
  std::string text;
  /// `convert.changed`: written as the nearest value; `convert.carried`: in a place that only
  /// Trainyard reads; `convert.lost`: left out. Errors are `convert.refused`: left out, and the job
  /// could end differently without it. Paths are those of the model's JSON.
  std::vector<Issue> issues;
  bool complete() const;  ///< nothing was refused
};

/// The text is read back and compared with `spec`, so the list of issues holds everything that
/// became different. Never writes a secret.
Printed print(const model::JobSpec& spec, model::Dialect to);

/// `native`, `openpai-v1`, …; `pumpkin` is another name of `octopus`.
std::optional<model::Dialect> dialect_named(std::string_view word);

/// JSON Schema (Draft-07) of a dialect, for editors; none where it has none.
std::optional<std::string> json_schema(model::Dialect dialect);
/// That of the native dialect.
std::string json_schema();

/// `docs/reference/job-file.md` and `job-file.zh.md`; a test compares the files with it.
std::string reference_page(Language language);

}  // namespace ty::jobspec
