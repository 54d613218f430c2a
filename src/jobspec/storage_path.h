#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace ty::jobspec {

/// Where in the site's storage a source lies, from its root: `storage:team/x` is `/team/x`,
/// `hdfs://host:9000/data` and `$PAI_DEFAULT_FS_URI/data` are `/data`. None for sources of other
/// kinds.
std::optional<std::string> storage_path(std::string_view source);

/// The folder inside a task below which such paths appear.
inline constexpr std::string_view kStorageTarget = "/mnt/storage";

}  // namespace ty::jobspec
