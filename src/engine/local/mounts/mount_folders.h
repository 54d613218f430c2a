#pragma once
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/local/local_launch.h"
#include "engine/local/mounts/host_folders.h"
#include "engine/local/mounts/storage.h"

namespace ty::engine {

/// Turns the sources of mounts into folders of this machine. Any thread.
class MountFolders {
 public:
  /// Where an upload lies unpacked, by its SHA-256; NotFound when it is gone.
  using UploadFolder = std::function<Result<std::string>(const std::string& sha256)>;
  struct Places {
    std::string data_dir;
    std::string storage_root;
    std::vector<std::string> host_folders;
    UploadFolder upload_folder;
  };
  explicit MountFolders(Places places);

  Result<void> check(const Mount& mount) const;
  /// Makes the folders that belong to the job. `number`: of the mount in its launch. May block on
  /// the disk.
  Result<HostMount> find(const Mount& mount, const model::TaskKey& key, std::size_t number) const;
  const Storage& storage() const { return storage_; }

 private:
  Places p_;
  Storage storage_;
  HostFolders host_folders_;
};

}  // namespace ty::engine
