#include "jobspec/openpai_v1/folders.h"

#include "jobspec/storage_path.h"

namespace ty::jobspec::openpai_v1 {

using model::Mount;
using model::MountKind;
using model::MountMode;

namespace {

constexpr std::int64_t kMaxCodeBytes = 200'000'000;

}  // namespace

Mount folder_mount(MountKind kind, const std::string& text) {
  Mount mount{.kind = kind, .source = text, .read_only = kind == MountKind::Data};
  std::string path = text;
  if (auto stored = text.starts_with("storage:") ? std::nullopt : storage_path(text)) {
    path = *stored;
    mount.target = std::string(kStorageTarget) + (path == "/" ? "" : path);
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
