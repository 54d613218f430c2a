#pragma once
#include <expected>
#include <functional>
#include <optional>
#include <set>
#include <string>

#include "base/fd.h"
#include "base/result.h"
#include "engine/engine.h"
#include "engine/local/local_launch.h"
#include "engine/local/usage/usage_reader.h"
#include "engine/messages.h"

namespace ty::engine {

/// How the local engine runs a task: as a process of this machine, or in a container. Either way
/// our own supervisor holds it, writes its log and tells its story in the journal beside the run
/// folder, so watching, stopping and taking back are the engine's and the same for all.
///
/// Safe to call from any thread. All calls may block for as long as their daemon or disk takes.
class Runtime {
 public:
  virtual ~Runtime() = default;
  virtual Capabilities capabilities() const = 0;
  /// Why nothing can be started at present; empty: it can.
  virtual Message problem() const { return {}; }

  enum class Ready : std::uint8_t { Now, Later };
  struct OnReady {
    std::function<void(Message)> progress;  ///< from any thread: what it is doing
    std::function<void(std::optional<model::Ending>)> done;
  };
  /// Gets what the task needs before it can begin, such as its image. `Later`: `done` is called
  /// once, from another thread, with the reason when it cannot begin. `Now`: it is not called.
  virtual std::expected<Ready, model::Ending> prepare(const LocalLaunch&, OnReady) {
    return Ready::Now;
  }

  /// Makes the run folder and starts the supervisor in it. The descriptor is the supervisor's
  /// pidfd; none: it is found by the lock of its journal.
  virtual Result<std::expected<Fd, model::Ending>> begin(const LocalLaunch& launch,
                                                         std::int64_t ticket,
                                                         int notify_fd) = 0;
  /// Sends a signal to a supervisor that we may not signal ourselves.
  virtual Result<void> signal(const model::TaskKey&, int) {
    return fail(Errc::Forbidden, say::task_of_another_user());
  }
  /// Lets a task run on that somebody froze, so that it hears what it was told.
  virtual void wake(const model::TaskKey&) {}
  /// What became of a supervisor that left no word; nothing: nobody knows, or it lives. `is_dead`:
  /// it is known not to, so a daemon that has not noticed yet is given a moment.
  virtual std::optional<model::Ending> cause_of_end(const model::TaskKey&, bool /*is_dead*/) {
    return std::nullopt;
  }
  /// Where to read what a running task uses; `holder` is its supervisor.
  virtual UsageReader usage_reader(const model::TaskKey& key, pid_t holder) = 0;
  /// Where on this machine lies what the task wrote into its image; empty: nowhere, or unknown.
  virtual std::string own_files(const model::TaskKey&) { return {}; }
  /// Removes what is left of a task that is over, its run folder included.
  virtual Result<void> remove(const model::TaskKey& key) = 0;
  /// Ends and removes everything that nobody wants any more, as after a crash.
  virtual void sweep(const std::set<model::TaskKey>& wanted) = 0;
  /// The engine closes; `is_idle`: no task is running.
  virtual void close(bool) {}
};

}  // namespace ty::engine
