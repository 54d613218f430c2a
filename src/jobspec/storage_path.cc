#include "jobspec/storage_path.h"

namespace ty::jobspec {

std::optional<std::string> storage_path(std::string_view source) {
  constexpr std::string_view kStorage = "storage:", kVariable = "$PAI_DEFAULT_FS_URI";
  if (source.starts_with(kStorage)) {
    const std::string_view rest = source.substr(kStorage.size());
    return (rest.starts_with('/') ? "" : "/") + std::string(rest);
  }
  for (const std::string_view scheme : {"hdfs://", "webhdfs://"}) {
    if (!source.starts_with(scheme)) continue;
    const std::size_t slash = source.find('/', scheme.size());
    return slash == std::string_view::npos ? "/" : std::string(source.substr(slash));
  }
  if (!source.starts_with(kVariable)) return std::nullopt;
  const std::string_view rest = source.substr(kVariable.size());
  if (rest.empty()) return "/";
  return rest.starts_with('/') ? std::optional(std::string(rest)) : std::nullopt;
}

}  // namespace ty::jobspec
