#pragma once
#include <string>
#include <string_view>

#include "model/job_spec.h"

/// Commands in the words of a shell, for formats that have only one text for them.
namespace ty::jobspec {

/// One word, whatever is in it.
std::string shell_quoted(std::string_view text);

/// `export A='b'` and `unset C`, one per line; empty for none.
std::string export_lines(const model::EnvMap& job, const model::EnvMap& role);

/// A script that does what the command does: variables, options, steps before and after. argv is
/// quoted. Empty when the command is the image's own.
std::string script_of(const model::Command& command, const std::string& exports);

/// Whether script_of() would only repeat `command.script`.
bool is_plain_script(const model::Command& command);

}  // namespace ty::jobspec
