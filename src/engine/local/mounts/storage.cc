#include "engine/local/mounts/storage.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/text.h"
#include "engine/local/mounts/safe_path.h"
#include "engine/local/mounts/tree.h"
#include "engine/messages.h"

namespace ty::engine {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMostNames = 20;  // of those that are there, told to who asks for another

bool climbs(const std::string& path) {
  const std::vector<std::string> steps = split(path, '/');
  return std::ranges::find(steps, "..") != steps.end();
}

bool is_below(const fs::path& path, const fs::path& root) {
  const std::string text = path.string(), top = root.string();
  return text == top || text.starts_with(top.ends_with('/') ? top : top + "/");
}

}  // namespace

Result<std::string> Storage::inside(const std::string& path, const std::string& named) const {
  if (climbs(path)) return fail(Errc::Invalid, say::storage_path_climbs({.path = shorten(named)}));
  std::error_code ec;
  const fs::path root = fs::weakly_canonical(root_, ec);
  const fs::path real = fs::weakly_canonical(path, ec);
  if (ec || !is_below(real, root))
    return fail(Errc::Invalid, say::outside_storage({.path = shorten(named)}));
  return real.string();
}

Result<void> Storage::check(const Mount& mount, const source::Storage& source) const {
  TY_TRY(const std::string path, inside(root_ + source.path, mount.named));
  constexpr std::string_view kByName = "storage:";
  if (!mount.named.starts_with(kByName)) return {};
  const std::string name =
      mount.named.substr(kByName.size(), mount.named.find('/', kByName.size()) - kByName.size());
  std::error_code ec;
  if (fs::is_directory(root_ + "/" + name, ec)) return {};
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(root_, ec)) {
    if (entry.is_directory(ec)) names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  if (names.empty()) return fail(Errc::Invalid, say::no_such_storage({.name = shorten(name)}));
  names.resize(std::min(names.size(), kMostNames));
  return fail(Errc::Invalid, say::no_such_storage_among({.name = shorten(name), .names = names}));
}

Result<std::string> Storage::folder(const Mount& mount, const source::Storage& source) const {
  TY_TRY(std::string path, inside(root_ + source.path, mount.named));
  if (mount.kind == model::MountKind::Output) {
    std::error_code ec;
    if (!make_below(fs::weakly_canonical(root_, ec).string(), path)) {
      return fail(Errc::Unavailable,
                  say::run_folder_not_made({.path = path, .why = std::strerror(errno)}));
    }
  }
  const Fd there = open_without_links(path, O_PATH);
  if (!there) return fail(Errc::NotFound, say::not_in_storage({.path = shorten(mount.named, 200)}));
  if (!mount.size_limit) return path;
  if (size_of_tree(there.get(), *mount.size_limit).bytes > *mount.size_limit) {
    return fail(
        Errc::Invalid,
        say::mount_too_large({.path = shorten(mount.named, 200), .limit = *mount.size_limit}));
  }
  return path;
}

Result<std::string> Storage::read(const LoginFile& file) const {
  std::string path;
  if (const auto* stored = std::get_if<source::Storage>(&file.source)) path = root_ + stored->path;
  if (const auto* host = std::get_if<source::HostFolder>(&file.source)) path = host->path;
  TY_TRY(const std::string real, inside(path, file.named));
  const Fd in = open_without_links(real, O_RDONLY | O_NONBLOCK);
  std::string text(64 * 1024, '\0');
  const ssize_t n = in ? ::read(in.get(), text.data(), text.size()) : 0;
  text.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  if (text.empty())
    return fail(Errc::NotFound, say::login_file_unreadable({.file = shorten(file.named, 200)}));
  return text;
}

}  // namespace ty::engine
