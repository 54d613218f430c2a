#include "engine/local/mounts/host_folders.h"

#include <algorithm>
#include <filesystem>

#include "base/text.h"
#include "engine/local/mounts/safe_path.h"
#include "engine/messages.h"

namespace ty::engine {

namespace fs = std::filesystem;

namespace {

bool lies_in(const std::string& path, const std::string& folder) {
  if (folder == "/") return path.starts_with('/');
  return path == folder || (path.starts_with(folder) && path[folder.size()] == '/');
}

std::string tidy(const std::string& path) {
  std::string plain = fs::path(path).lexically_normal().string();
  while (plain.size() > 1 && plain.ends_with('/')) plain.pop_back();
  return plain;
}

bool is_granted(const std::string& path, const std::vector<std::string>& folders) {
  return std::ranges::any_of(
      folders, [&](const std::string& folder) { return lies_in(path, tidy(folder)); });
}

}  // namespace

Result<void> HostFolders::check(const std::string& path) const {
  if (is_granted(tidy(path), granted_)) return {};
  return fail(Errc::Invalid, say::host_folder_not_allowed({.path = shorten(path)}));
}

Result<std::string> HostFolders::folder(const std::string& path, bool make) const {
  const std::string plain = tidy(path);
  std::error_code ec;
  if (!is_granted(plain, granted_))
    return fail(Errc::Invalid, say::host_folder_not_allowed({.path = shorten(plain)}));
  const std::string real =
      (make ? fs::weakly_canonical(plain, ec) : fs::canonical(plain, ec)).string();
  if (ec) return fail(Errc::NotFound, say::host_folder_missing({.path = plain}));
  for (const std::string& folder : granted_) {
    const std::string root = fs::weakly_canonical(tidy(folder), ec).string();
    if (ec || !lies_in(real, root)) continue;
    if (make && !make_below(root, real))
      return fail(Errc::NotFound, say::host_folder_missing({.path = plain}));
    return real;
  }
  return fail(Errc::Invalid, say::host_folder_leads_out({.path = plain}));
}

}  // namespace ty::engine
