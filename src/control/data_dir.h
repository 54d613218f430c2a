#pragma once
#include <string>

#include "base/result.h"

namespace ty::control {

/// Where the server's own things lie below the data directory (docs/architecture.md); those of
/// tasks are their engine's. Holding one means holding the
/// directory: its lock file is ours until the process ends, however it ends.
class DataDir {
 public:
  /// Makes the folders and takes the lock. Says who has it when another server does, and what is
  /// wrong when the folder cannot be written.
  static Result<DataDir> open(const std::string& path);

  DataDir(DataDir&& other) noexcept;
  DataDir& operator=(DataDir&&) = delete;
  ~DataDir();

  const std::string& root() const { return root_; }
  std::string database_file() const { return root_ + "/trainyard.db"; }
  std::string server_file() const { return root_ + "/server.json"; }
  std::string admin_token_file() const { return root_ + "/admin.token"; }
  /// Of earlier versions; what it held is in the database now.
  std::string old_registries_file() const { return root_ + "/registries"; }
  std::string secret_key_file() const { return root_ + "/secret.key"; }
  std::string deletions() const { return root_ + "/deleting"; }
  std::string uploads() const { return root_ + "/uploads"; }

 private:
  DataDir(std::string root, int lock_fd) : root_(std::move(root)), lock_fd_(lock_fd) {}

  std::string root_;
  int lock_fd_ = -1;
};

/// Writes a small file so that a reader sees the old or the new one, never half: temp name, fsync,
/// rename. On a full disk it works where `keep_spare` has prepared it.
Result<void> replace_file(const std::string& path, std::string_view content, unsigned mode);
/// Takes the disk that the next `replace_file` of up to 4 KB will need.
void keep_spare(const std::string& path);

}  // namespace ty::control
