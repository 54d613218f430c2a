#pragma once
#include <string>
#include <string_view>

#include "model/job_spec.h"

/// `<% $secrets.db.password %>` in the commands of OpenPAI v2 jobs: filled in when a task starts
/// and kept nowhere but inside it.
namespace ty::model {

/// `list[0].name` → `list.0.name`.
std::string dotted(std::string_view path);

/// The text with the values of `secrets` (dotted path → value) in their places; a tag without value
/// stays.
std::string fill_secrets(std::string_view text, const TextMap& secrets);
/// The same for all texts of a command.
void fill_secrets(Command& command, const TextMap& secrets);

/// For showing a job: sealed values become `******`.
void cover_secrets(JobSpec& spec);

}  // namespace ty::model
