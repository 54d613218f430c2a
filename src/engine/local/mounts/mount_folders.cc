#include "engine/local/mounts/mount_folders.h"

#include <fmt/format.h>

#include <filesystem>

#include "engine/local/paths.h"
#include "engine/local/transfer/transfers.h"
#include "engine/messages.h"
#include "model/names.h"

namespace ty::engine {

namespace {

template <class... Fs>
struct Overloaded : Fs... {
  using Fs::operator()...;
};

std::vector<std::string> with(std::vector<std::string> folders, const std::string& more) {
  folders.push_back(more);
  return folders;
}

/// Links that the administrator made are followed once, here; nobody follows any afterwards.
MountFolders::Places canonical(MountFolders::Places places) {
  std::error_code ec;
  const auto resolved = std::filesystem::weakly_canonical(places.data_dir, ec);
  if (!ec) places.data_dir = resolved.string();
  return places;
}

Result<std::string> made(std::string path) {
  std::error_code ec;
  std::filesystem::create_directories(path, ec);
  if (ec) {
    return fail(disk_errc(ec.value()),
                say::run_folder_not_made({.path = path, .why = ec.message()}));
  }
  return path;
}

}  // namespace

MountFolders::MountFolders(Places places)
    : p_(canonical(std::move(places))),
      storage_(p_.storage_root),
      host_folders_(with(p_.host_folders, p_.storage_root)) {}

Result<void> MountFolders::check(const Mount& mount) const {
  if (const auto* stored = std::get_if<source::Storage>(&mount.source))
    return storage_.check(mount, *stored);
  if (const auto* host = std::get_if<source::HostFolder>(&mount.source))
    return host_folders_.check(host->path);
  return {};
}

Result<HostMount> MountFolders::find(const Mount& mount,
                                     const model::TaskKey& key,
                                     std::size_t number) const {
  HostMount found{.kind = mount.kind,
                  .target = mount.target,
                  .read_only = mount.read_only,
                  .private_copy = mount.private_copy,
                  .save_to = mount.save_to};
  const Overloaded folder_of{
      [&](const source::Upload& upload) -> Result<std::string> {
        TY_TRY(const std::string folder, p_.upload_folder(upload.sha256));
        std::error_code ec;
        const auto resolved = std::filesystem::canonical(folder, ec);
        return ec ? folder : resolved.string();
      },
      [&](const source::JobOutput&) -> Result<std::string> {
        return output_folder(p_.data_dir, key.job);
      },
      [&](const source::Scratch&) -> Result<std::string> {
        // A copy of nothing: it lives and goes with the run folder.
        found.private_copy = true;
        return made(p_.data_dir + "/empty");
      },
      [&](const source::Volume& volume) -> Result<std::string> {
        const std::string name = model::dns_name(volume.name, "volume");
        return made(fmt::format("{}/volumes/{}/{}", p_.data_dir, volume.workspace.value, name));
      },
      [&](const source::Storage& stored) -> Result<std::string> {
        return storage_.folder(mount, stored);
      },
      [&](const source::HostFolder& host) -> Result<std::string> {
        return host_folders_.folder(host.path, mount.kind == model::MountKind::Output);
      },
      [&](const source::ObjectStore& store) -> Result<std::string> {
        found.fetch_from = store.folder;
        return fetched_folder(run_folder(p_.data_dir, key), number);
      }};
  TY_TRY(found.host_path, std::visit(folder_of, mount.source));
  found.is_shared = std::holds_alternative<source::Storage>(mount.source) ||
                    std::holds_alternative<source::HostFolder>(mount.source);
  return found;
}

}  // namespace ty::engine
