#pragma once
#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "engine/local/local_launch.h"
#include "engine/local/transfer/rclone.h"

namespace ty::engine {

/// The folders of a task that come from an object store, and those whose content goes to one when
/// the task has ended. What is to be saved is written beside the run folder before the task begins,
/// so that a server which finds the task ended, itself or its successor, knows what to do. All of
/// it can be repeated: what was carried over is not carried again. Blocks for as long as the stores
/// take.
class Transfers {
 public:
  bool is_possible() const { return rclone_.is_here(); }
  static bool has_any(const LocalLaunch& launch);
  /// Whether the task of this run folder leaves something to be saved.
  static bool has_saves(const std::string& run_dir);

  /// Before the task begins. The reason when it cannot.
  std::optional<model::Ending> fetch(const LocalLaunch& launch,
                                     const std::function<bool()>& is_cancelled) const;
  /// After its end. Nothing of what the task left can lead out of its folder: what is sent is a
  /// second set of names for the plain files in it.
  std::optional<model::Ending> save(const std::string& run_dir,
                                    const std::function<bool()>& is_cancelled) const;

 private:
  Rclone rclone_;
};

/// Where a launch's n-th fetched folder lies, and what is being saved: beside the run folder, out
/// of the task's own reach.
std::string fetched_folder(const std::string& run_dir, std::size_t number);

inline constexpr char kTransferSuffix[] = ".transfer";  // a folder

}  // namespace ty::engine
