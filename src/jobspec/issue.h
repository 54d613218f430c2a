#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ty::jobspec {

enum class Severity : std::uint8_t { Error, Warning };

/// One thing a person should change in a job file, or know about it (job-model §1.4).
struct Issue {
  Severity severity = Severity::Error;
  std::string code;     ///< stable word: `type`, `range`, `unknown_key`, …
  std::string pointer;  ///< JSON pointer, `/roles/worker/gpus`; empty: the whole document
  std::string path;     ///< the same for people, `roles.worker.gpus`
  int line = 0;         ///< from 1; 0 when there is no text to point at
  int column = 0;       ///< from 1, in characters
  Message message;      ///< what is wrong; what to write. Never quotes a secret.
  bool operator==(const Issue&) const = default;
};

/// `FILE:LINE:COLUMN: PATH: what is wrong; what to write`. An empty file is called `job file`.
std::string format_issue(const Issue& issue,
                         std::string_view file,
                         Language language = Language::English);

/// The faults of a file as one answer: `TooLarge` when the file is over the size limit, else
/// `Invalid`. The message is the first fault as format_issue() writes it, and how many follow.
/// `issues` must not be empty.
Error to_error(const std::vector<Issue>& issues, std::string_view file);

}  // namespace ty::jobspec
