#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/launch.h"
#include "model/job.h"
#include "model/job_spec.h"

/// What job files name as the sources of mounts, in the engines' words. Looks at the text only.
namespace ty::control {

/// Invalid, with what to write instead, for a source that this server does not know.
Result<engine::Mount> mount_of(const model::Mount& mount,
                               const model::JobSpec& spec,
                               WorkspaceId workspace);
/// What opens the object store of a mount, if it has one.
void set_secret_key(engine::Mount& mount, Secret key);

/// A file with three lines, as `authFile` names it.
engine::LoginFile login_file(const std::string& source);

/// The object store a mount reads from or writes to; null: none.
const engine::ObjectFolder* object_folder(const engine::Mount& mount);
/// Why this server can not reach it; none: it can be tried.
std::optional<Message> object_refusal(const engine::ObjectFolder& folder,
                                      const std::vector<std::string>& stores,
                                      bool is_possible);

/// `$PAI_JOB_NAME`, `$PAI_USER_NAME` and `$PAI_USERNAME` in the folders of an OpenPAI job.
void fill_names(model::JobSpec& spec, const std::string& user, const std::string& job);

}  // namespace ty::control
