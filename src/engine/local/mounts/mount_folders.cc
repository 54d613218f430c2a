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
    : p_(std::move(places)),
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
                                     const std::string& run_dir,
                                     std::size_t number) const {
  HostMount found{.kind = mount.kind,
                  .target = mount.target,
                  .read_only = mount.read_only,
                  .private_copy = mount.private_copy,
                  .save_to = mount.save_to};
  const Overloaded folder_of{
      [&](const source::Upload& upload) { return p_.upload_folder(upload.sha256); },
      [&](const source::JobOutput&) -> Result<std::string> {
        return output_folder(p_.data_dir, key.job);
      },
      [&](const source::Scratch&) {
        // A copy of nothing: it lives and goes with the run folder.
        found.private_copy = true;
        return made(p_.data_dir + "/empty");
      },
      [&](const source::Volume& volume) {
        const std::string name = model::dns_name(volume.name, "volume");
        return made(fmt::format("{}/volumes/{}/{}", p_.data_dir, volume.workspace.value, name));
      },
      [&](const source::Storage& stored) { return storage_.folder(mount, stored); },
      [&](const source::HostFolder& host) {
        return host_folders_.folder(host.path, mount.kind == model::MountKind::Output);
      },
      [&](const source::ObjectStore& store) -> Result<std::string> {
        found.fetch_from = store.folder;
        return fetched_folder(run_dir, number);
      }};
  TY_TRY(found.host_path, std::visit(folder_of, mount.source));
  return found;
}

}  // namespace ty::engine
