#pragma once
#include <functional>
#include <string>

#include "base/fd.h"
#include "base/result.h"

namespace ty::engine::docker {

/// Gives the supervisor of one container its files, open: journal, log and index
/// (supervisor/handed_files.h). They have no name inside the container, so the task, which may be
/// root there, does not get at them. The socket takes one caller, the supervisor, which calls
/// before the task exists, and is gone then.
class FileHandover {
 public:
  /// Listens in the folder that the container sees as /.trainyard, before the container starts.
  static Result<FileHandover> open(const std::string& control_folder);
  FileHandover(FileHandover&&) = default;
  ~FileHandover();

  struct Files {
    Fd journal;
    Fd log;
    Fd index;
  };
  /// Waits for the supervisor. False: it did not come; `is_hopeless`, asked now and then, ends the
  /// wait.
  bool give(const Files& files, const std::function<bool()>& is_hopeless) const;

 private:
  FileHandover(Fd folder, Fd listener)
      : folder_(std::move(folder)), listener_(std::move(listener)) {}

  Fd folder_;
  Fd listener_;
};

}  // namespace ty::engine::docker
