#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/secret.h"
#include "jobspec/issue.h"
#include "model/job_spec.h"

/// Job files in, `model::JobSpec` or every fault with its line out. Pure: no files, no clock, no
/// state; any thread.
namespace ty::jobspec {

/// What a role gets that asks for nothing, where its dialect has no rule of its own.
struct SiteDefaults {
  std::int64_t cpu_milli = 1000;
  std::int64_t memory = std::int64_t{2} << 30;
  std::int64_t cpu_milli_per_gpu = 4000;
  std::int64_t memory_per_gpu = std::int64_t{16} << 30;
};

/// `code: ./src` names a folder of the submitter's. Only the command that runs there can pack it.
enum class LocalSources : std::uint8_t {
  Refuse,  ///< a fault, unless `uploads` has it
  Keep  ///< the mount's source becomes `local:./src`: for the command line, which packs and uploads
        ///< it
};

struct ReadOptions {
  std::optional<model::Dialect> dialect;  ///< what the sender says it is; absent: the tree decides
  /// Values of `-p name=value`. `0.1,0.01` gives one job per value (several such parameters: every
  /// combination); a comma that belongs to the value is written `\,`.
  std::map<std::string, std::string> params;
  SiteDefaults defaults;
  /// For dates that a file asks for (`${run_date}` of Prophecis); absent: they stay as written.
  std::optional<Time> now;
  /// What a role gets that names a resource spec of the site's (Pumpkin); empty: none are defined.
  std::map<std::string, model::Resources> resource_specs;
  LocalSources local_sources = LocalSources::Refuse;
  /// `******` stands for a secret that was covered when the file was shown. A job cannot run with
  /// it, but it can be compared.
  bool allow_covered = false;
  std::map<std::string, std::string>
      uploads;  ///< local source as written (`.`, `./src`) → `upload:<sha256>`
};

struct ReadJob {
  model::JobSpec spec;
  std::vector<Issue> warnings;
  /// Secrets written in the file. The spec has `sealed: "@name"` in their place: whoever keeps the
  /// job seals them.
  std::map<std::string, Secret> secrets;
};

/// Either jobs or errors. Several documents, or several values of a parameter, are several jobs:
/// all or none.
struct ReadResult {
  std::vector<ReadJob> jobs;
  std::vector<Issue> errors;  ///< by position, at most 100
  /// Offset and length of what must be covered when the text is shown, in order, apart.
  std::vector<std::pair<std::int64_t, std::int64_t>> secret_ranges;
  std::optional<model::Dialect> dialect;
  bool ok() const { return errors.empty(); }
};

/// Never throws on any input and takes well under a second for every one up to the size limit of 1
/// MiB; a larger one is refused unread. Names, sizes and references inside the file are checked
/// here; what only the site knows (storages, stored secrets, quota, taken names) is left to
/// `control`.
ReadResult read(std::string_view text, const ReadOptions& options = {});

/// The text with `******` over each of the ranges.
std::string cover(std::string_view text,
                  const std::vector<std::pair<std::int64_t, std::int64_t>>& ranges);

/// What people call it: `OpenPAI v2 job`, `Volcano Job`.
Message title(model::Dialect dialect);

}  // namespace ty::jobspec
