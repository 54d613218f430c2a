#include "jobspec/openpai_v1/folders.h"

namespace ty::jobspec::openpai_v1 {

using model::Mount;
using model::MountKind;
using model::MountMode;

namespace {

constexpr std::int64_t kMaxCodeBytes = 200'000'000;
constexpr std::string_view kStore = "/mnt/storage";

/// The path inside the site's file system: `hdfs://host:9000/data` and `$PAI_DEFAULT_FS_URI/data`
/// are `/data`.
std::optional<std::string> store_path(std::string_view text) {
  constexpr std::string_view kVariable = "$PAI_DEFAULT_FS_URI";
  for (const std::string_view scheme : {"hdfs://", "webhdfs://"}) {
    if (!text.starts_with(scheme)) continue;
    const std::size_t slash = text.find('/', scheme.size());
    return slash == std::string_view::npos ? "/" : std::string(text.substr(slash));
  }
  if (!text.starts_with(kVariable)) return std::nullopt;
  const std::string_view rest = text.substr(kVariable.size());
  if (rest.empty()) return "/";
  return rest.starts_with('/') ? std::optional(std::string(rest)) : std::nullopt;
}

}  // namespace

Mount folder_mount(MountKind kind, const std::string& text) {
  Mount mount{.kind = kind, .source = text, .read_only = kind == MountKind::Data};
  std::string path = text;
  if (auto stored = store_path(text)) {
    path = *stored;
    mount.target = std::string(kStore) + (path == "/" ? "" : path);
  } else if (text.starts_with('/')) {
    mount.source = "host:" + text;
    mount.target = text;
  } else {
    mount.mode = MountMode::ExportOnly;
  }
  if (kind != MountKind::Code) return mount;
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  const std::string last = path.substr(path.rfind('/') + 1);
  mount.mode = MountMode::CopyIn;
  mount.target = "./" + (last.empty() ? "code" : last);
  mount.size_limit = kMaxCodeBytes;
  return mount;
}

std::optional<std::string> folder_of(const Mount& mount) {
  std::string text = mount.source;
  if (text.starts_with("host:/")) text.erase(0, 5);
  if (text.empty() || !(folder_mount(mount.kind, text) == mount)) return std::nullopt;
  return text;
}

}  // namespace ty::jobspec::openpai_v1
