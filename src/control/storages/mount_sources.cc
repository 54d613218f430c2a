#include "control/storages/mount_sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/text.h"
#include "model/names.h"

namespace ty::control {

namespace fs = std::filesystem;
using model::MountKind;

namespace {

bool is_inside(const std::string& path, const std::string& folder) {
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
      folders, [&](const std::string& folder) { return is_inside(path, tidy(folder)); });
}

/// A folder that the job brings or gets, wherever it is shown to the task.
bool is_own(const model::Mount& mount) {
  const std::string& source = mount.source;
  return source == "scratch:" || source == "memory:" ||
         (source.empty() && mount.kind == MountKind::Output);
}

}  // namespace

std::optional<std::string> mount_refusal(const model::Mount& mount,
                                         const std::vector<std::string>& host_folders) {
  const std::string& source = mount.source;
  if (mount.mode == model::MountMode::ExportOnly || is_own(mount)) return std::nullopt;
  if (source.starts_with("upload:") || source.starts_with("volume:")) return std::nullopt;
  if (source.starts_with("host:")) {
    const std::string path = source.substr(5);
    if (is_granted(tidy(path), host_folders)) return std::nullopt;
    return fmt::format(
        "{} is a folder of the machine that jobs may not mount; ask an administrator to add it to "
        "jobs.host_folders",
        shorten(path));
  }
  const std::size_t colon = source.find(':');
  const std::string kind = source.substr(0, colon);
  const bool stored = kind == "algorithm" || kind == "dataset" || kind == "model";
  if (stored) {
    return fmt::format(
        "this server keeps no {}s yet, so \"{}\" cannot be found; send code along with the job, or "
        "leave it out",
        kind,
        shorten(source.substr(colon + 1)));
  }
  return fmt::format(
      "no storage serves \"{}\"; use code: . to bring files along, or leave output away for the "
      "platform's folder",
      shorten(source));
}

std::optional<engine::ObjectFolder> object_folder(const model::Mount& mount,
                                                  const model::JobSpec& spec) {
  constexpr std::string_view kS3 = "s3://";
  const auto link = [&](const std::string& key) {
    const auto found = spec.links.find("data_stores." + key);
    return found == spec.links.end() ? std::string() : found->second;
  };
  engine::ObjectFolder folder{
      .endpoint = link("auth_url"), .region = link("region"), .access_key = link("user_name")};
  if (!mount.source.starts_with(kS3) || folder.endpoint.empty()) return std::nullopt;
  folder.path = mount.source.substr(kS3.size());
  return folder;
}

std::optional<std::string> object_refusal(const engine::ObjectFolder& folder,
                                          const std::vector<std::string>& stores,
                                          bool is_possible) {
  const auto plain = [](std::string_view url) {
    while (url.ends_with('/')) url.remove_suffix(1);
    return url;
  };
  const bool is_listed = std::ranges::any_of(stores, [&](const std::string& store) {
    return store == "*" || plain(store) == plain(folder.endpoint);
  });
  if (!is_listed) {
    return fmt::format(
        "{} is an object store that jobs may not use; ask an administrator to add it to "
        "jobs.object_stores",
        shorten(folder.endpoint));
  }
  if (!is_possible) {
    return "this server cannot reach object stores: ask an administrator to install rclone, then "
           "start the server again";
  }
  return std::nullopt;
}

Result<std::string> MountSources::host_folder(const std::string& path, bool make) const {
  const std::string plain = tidy(path);
  std::error_code ec;
  if (!is_granted(plain, host_folders_))
    return fail(Errc::Invalid, fmt::format("{} may not be mounted", plain));
  if (make) fs::create_directories(plain, ec);
  // A link inside a granted folder must not lead out of it.
  const std::string real = fs::canonical(plain, ec).string();
  if (ec) return fail(Errc::NotFound, fmt::format("there is no folder {}", plain));
  const bool stays = std::ranges::any_of(host_folders_, [&](const std::string& folder) {
    std::error_code none;
    return is_inside(real, fs::weakly_canonical(tidy(folder), none).string());
  });
  if (!stays)
    return fail(Errc::Invalid,
                fmt::format("{} leads out of the folders that jobs may mount", plain));
  return real;
}

Result<engine::HostMount> MountSources::resolve(const model::Mount& mount,
                                                const model::Job& job) const {
  engine::HostMount found{.kind = mount.kind, .target = mount.target, .read_only = mount.read_only};
  const std::string& source = mount.source;
  std::error_code ec;
  if (source.starts_with("upload:")) {
    TY_TRY(found.host_path, uploads_.folder(source));
    found.private_copy = !mount.read_only;
    return found;
  }
  if (mount.kind == MountKind::Output && is_own(mount)) {
    found.host_path = dirs_.output_dir(job.id);
    return found;
  }
  if (is_own(mount)) {
    // An empty folder of the task's own lives and goes with its run folder.
    found.host_path = dirs_.root() + "/empty";
    found.private_copy = true;
    fs::create_directories(found.host_path, ec);
  } else if (source.starts_with("volume:")) {
    const std::string name = model::dns_name(source.substr(7), "volume");
    found.host_path = fmt::format("{}/volumes/{}/{}", dirs_.root(), job.workspace.value, name);
    fs::create_directories(found.host_path, ec);
  } else if (source.starts_with("host:")) {
    TY_TRY(found.host_path, host_folder(source.substr(5), mount.kind == MountKind::Output));
    found.private_copy = mount.mode == model::MountMode::CopyIn;
  } else {
    return fail(Errc::Invalid, fmt::format("{} is not a source this server can mount", source));
  }
  if (ec)
    return fail(disk_errc(ec.value()),
                fmt::format("cannot make {}: {}", found.host_path, ec.message()));
  return found;
}

}  // namespace ty::control
