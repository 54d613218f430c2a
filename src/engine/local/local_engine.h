#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/engine.h"

namespace ty::engine {

/// How much the process runtime tries to keep a task apart from the machine. `Auto` takes the first
/// that works: namespaces (as root), bubblewrap (as a user), nothing.
enum class Isolation : std::uint8_t { Auto, Namespaces, Bubblewrap, None };

struct LocalOptions {
  std::string data_dir;                ///< absolute; run folders, supervisor and logs live below it
  std::string node_name;               ///< empty: the host's name
  std::string address = "127.0.0.1";   ///< how peers reach tasks of this machine
  std::int64_t cpu_milli = 0;          ///< 0: what this machine has
  std::int64_t memory = 0;             ///< bytes; 0: what this machine has, or our cgroup allows
  std::vector<std::string> gpu_types;  ///< one entry per GPU device, in index order
  model::TextMap labels;
  Isolation isolation = Isolation::Auto;
  bool limits = true;                 ///< false: make no cgroups even where we could
  std::int64_t max_processes = 8192;  ///< of one task
  std::size_t starters = 2;           ///< threads that prepare run folders and start supervisors
};

/// Runs tasks as processes of this machine. Every task is held by a small supervisor program that
/// outlives us: it captures the output, enforces limits and deadline, ends the whole process tree
/// and leaves a journal in the run folder, which is all that `recover` needs.
///
/// Safe to call from any thread. Reports come from the engine's own watcher thread.
class LocalEngine final : public Engine {
 public:
  /// Unpacks the supervisor and tries it out once, so `capabilities()` says what this machine can
  /// really do. Blocks for some milliseconds. Fails when the data directory cannot hold programs.
  static Result<std::unique_ptr<LocalEngine>> open(LocalOptions options, ReportSink sink);
  /// Lets go of the tasks; they run on.
  ~LocalEngine() override;

  Capabilities capabilities() const override;
  std::vector<NodeInfo> nodes() const override;
  boost::asio::awaitable<Result<void>> start(Launch launch) override;
  boost::asio::awaitable<Result<void>> stop(model::TaskKey key, Millis grace) override;
  boost::asio::awaitable<Result<void>> set_deadline(model::TaskKey key,
                                                    std::optional<Time> deadline) override;
  /// Besides what Engine promises: run folders below the data directory that nobody expects are
  /// ended and removed, so call it before the first start.
  boost::asio::awaitable<Result<std::vector<model::TaskKey>>> recover(
      std::vector<model::TaskKey> expected) override;
  boost::asio::awaitable<Result<void>> forget(model::TaskKey key) override;

  struct Impl;

 private:
  explicit LocalEngine(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ty::engine
