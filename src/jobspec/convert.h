#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "jobspec/read.h"

namespace ty::jobspec {

/// A job file in another dialect.
struct Converted {
  ReadResult read;            ///< with errors: there is nothing to convert
  std::string text;           ///< all jobs of the file, `---` between them
  std::vector<Issue> issues;  ///< what could not be carried over (print.h)
  bool complete = false;      ///< read, and nothing was refused
};

/// Asked for the dialect it has, a file stays as it is, byte for byte, unless parameters change it.
Converted convert(std::string_view text, const ReadOptions& options, model::Dialect to);

}  // namespace ty::jobspec
