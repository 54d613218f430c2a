#include "control/storages/storages.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/text.h"
#include "jobspec/storage_path.h"

namespace ty::control {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kHost = "host:";

bool climbs(const std::string& path) {
  const std::vector<std::string> steps = split(path, '/');
  return std::ranges::find(steps, "..") != steps.end();
}

bool is_below(const fs::path& path, const fs::path& root) {
  const std::string text = path.string(), top = root.string();
  return text == top || text.starts_with(top.ends_with('/') ? top : top + "/");
}

void replace_word(std::string& text, std::string_view word, const std::string& value) {
  for (std::size_t at = text.find(word); at != std::string::npos;) {
    const char next = at + word.size() < text.size() ? text[at + word.size()] : '/';
    const bool longer = std::isalnum(static_cast<unsigned char>(next)) != 0 || next == '_';
    if (!longer) text.replace(at, word.size(), value);
    at = text.find(word, at + (longer ? word.size() : value.size()));
  }
}

}  // namespace

Result<std::string> Storages::inside(const std::string& source) const {
  std::string path;
  if (const auto stored = jobspec::storage_path(source)) {
    path = root_ + *stored;
  } else if (source.starts_with(kHost)) {
    path = source.substr(kHost.size());
  } else {
    return fail(Errc::Invalid,
                fmt::format("{} is not a source this server can mount", shorten(source)));
  }
  if (climbs(path)) {
    return fail(Errc::Invalid,
                fmt::format("{} climbs with \"..\"; write the path it means", shorten(source)));
  }
  std::error_code ec;
  const fs::path root = fs::weakly_canonical(root_, ec);
  const fs::path real = fs::weakly_canonical(path, ec);
  if (ec || !is_below(real, root)) {
    return fail(
        Errc::Invalid,
        fmt::format("{} lies outside the site's storage; use a folder of it", shorten(source)));
  }
  return real.string();
}

Result<void> Storages::check(const model::Mount& mount) const {
  TY_TRY(const std::string path, inside(mount.source));
  if (!mount.source.starts_with("storage:")) return {};
  const std::string name = mount.source.substr(8, mount.source.find('/', 8) - 8);
  std::error_code ec;
  if (fs::is_directory(root_ + "/" + name, ec)) return {};
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(root_, ec)) {
    if (entry.is_directory(ec)) names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return fail(Errc::Invalid,
              fmt::format("no storage is called \"{}\"; {}",
                          shorten(name),
                          names.empty() ? "ask your administrator to make it"
                                        : "there are " + shorten(join(names, ", "), 200)));
}

Result<std::string> Storages::folder(const model::Mount& mount) const {
  TY_TRY(std::string path, inside(mount.source));
  std::error_code ec;
  if (mount.kind == model::MountKind::Output) {
    fs::create_directories(path, ec);
    if (ec) return fail(Errc::Unavailable, fmt::format("cannot make {}: {}", path, ec.message()));
  }
  if (!fs::exists(path, ec)) {
    return fail(Errc::NotFound,
                fmt::format("{} is not in the site's storage", shorten(mount.source, 200)));
  }
  if (!mount.size_limit) return path;
  std::int64_t sum = 0;
  for (fs::recursive_directory_iterator at(path, ec), end; !ec && at != end; at.increment(ec)) {
    if (at->is_regular_file(ec)) sum += static_cast<std::int64_t>(at->file_size(ec));
    if (sum <= *mount.size_limit) continue;
    return fail(Errc::Invalid,
                fmt::format("{} is larger than {}; keep data out of it",
                            shorten(mount.source, 200),
                            human_bytes(*mount.size_limit)));
  }
  return path;
}

Result<std::string> Storages::read(const std::string& source) const {
  const bool plain = !jobspec::storage_path(source) && !source.starts_with(kHost);
  TY_TRY(const std::string path, inside(plain ? std::string(kHost) + source : source));
  std::ifstream in(path, std::ios::binary);
  std::string text(64 * 1024, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (text.empty())
    return fail(Errc::NotFound, fmt::format("{} cannot be read", shorten(source, 200)));
  return text;
}

void fill_names(model::JobSpec& spec, const std::string& user, const std::string& job) {
  if (spec.dialect != model::Dialect::OpenPaiV1) return;
  const auto fill = [&](std::string& text) {
    replace_word(text, "$PAI_JOB_NAME", job);
    replace_word(text, "$PAI_USER_NAME", user);
    replace_word(text, "$PAI_USERNAME", user);
  };
  for (model::RoleSpec& role : spec.roles) {
    for (model::Mount& mount : role.mounts) {
      fill(mount.source);
      fill(mount.target);
    }
    if (role.image_auth && role.image_auth->file) fill(*role.image_auth->file);
  }
}

}  // namespace ty::control
