#pragma once
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "model/job_spec.h"

/// `dataDir`, `outputDir`, `codeDir`: folders of the site's file system (openpai.md §1.6).
namespace ty::jobspec::openpai_v1 {

inline constexpr std::array<std::pair<std::string_view, model::MountKind>, 3> kFolders = {
    {{"dataDir", model::MountKind::Data},
     {"outputDir", model::MountKind::Output},
     {"codeDir", model::MountKind::Code}}};

/// `hdfs://host/x` and `$PAI_DEFAULT_FS_URI/x` are mounted from the site's storage, an absolute
/// path where it is; anything else is only named to the task, as OpenPAI did. Code is copied beside
/// the command.
model::Mount folder_mount(model::MountKind kind, const std::string& text);

/// The text that folder_mount() makes this mount of; none where no text does.
std::optional<std::string> folder_of(const model::Mount& mount);

}  // namespace ty::jobspec::openpai_v1
