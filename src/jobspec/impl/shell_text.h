#pragma once
#include <string>

#include "model/job_spec.h"

/// Commands in the words of a shell, for dialects that have only one text for them.
namespace ty::jobspec {

/// `export A='b'` and `unset C`, one per line; empty for none.
std::string export_lines(const model::EnvMap& job, const model::EnvMap& role);

/// A script that does what the command does: variables, options, steps before and after. argv is
/// quoted. `plain` is what the dialect does by itself: options it sets, steps it has a place for.
/// Empty when the command is the image's own.
std::string script_of(const model::Command& command,
                      const std::string& exports,
                      const model::Command& plain = {});

/// Whether script_of() would only repeat `command.script`.
bool is_plain_script(const model::Command& command);

}  // namespace ty::jobspec
