#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/engine.h"
#include "engine/local/local_launch.h"
#include "engine/permissions.h"

namespace ty::engine {

/// How tasks are run. `Auto` takes Docker where it answers, else processes; what it took once it
/// keeps for that data directory while it is Docker: one that is away for a moment changes nothing.
enum class RuntimeChoice : std::uint8_t { Auto, Docker, Process };

struct DockerOptions {
  /// Docker's, or Podman's compatible one; empty: where either of them has it usually.
  std::string socket;
  /// Every job has a network of its own, a 256th of this; empty: Docker chooses.
  std::string subnets = "10.210.0.0/16";
  bool host_network = false;         ///< jobs may ask for the machine's own network
  std::vector<std::string> ulimits;  ///< `nofile=65536:65536`, for every task
  Seconds pull_patience{600};        ///< a pull without any progress ends after this
};

/// How much the process runtime tries to keep a task apart from the machine. `Auto` takes the first
/// that works: namespaces (as root), bubblewrap (as a user), nothing.
enum class Isolation : std::uint8_t { Auto, Namespaces, Bubblewrap, None };

struct LocalOptions {
  std::string data_dir;      ///< absolute; run folders, supervisor, logs and outputs live below it
  std::string storage_root;  ///< empty: `DIR/storage`
  std::vector<std::string> host_folders;  ///< of this machine, that jobs may mount
  Permissions permissions;                ///< what jobs may ask for beyond the ordinary
  /// Where an upload lies unpacked, by its SHA-256; NotFound when it is gone.
  std::function<Result<std::string>(const std::string& sha256)> upload_folder;
  std::string node_name;              ///< empty: the host's name
  std::string address = "127.0.0.1";  ///< how peers reach tasks of this machine
  std::int64_t cpu_milli = 0;         ///< 0: what this machine has
  std::int64_t memory = 0;            ///< bytes; 0: what this machine has, or our cgroup allows
  /// A made-up inventory, `A100:8`; `none`: offer no GPU. Empty: what the driver finds.
  std::vector<std::string> gpus;
  model::TextMap labels;
  RuntimeChoice runtime = RuntimeChoice::Process;
  DockerOptions docker;
  Isolation isolation = Isolation::Auto;
  bool limits = true;                      ///< false: make no cgroups even where we could
  std::int64_t max_processes = 8192;       ///< of one task
  std::int64_t log_limit = 0;              ///< bytes that are kept of one log; 0: all
  std::int64_t disk_limit = 0;             ///< bytes of one job on the disk; 0: no limit
  std::function<void()> on_nodes_changed;  ///< `nodes()` says something else now; from any thread
  std::size_t starters = 2;  ///< threads that prepare run folders and start supervisors
};

/// Runs tasks on this machine, as processes or in containers (`runtime.h`). Every task is held by a
/// small supervisor program that outlives us: it captures the output, enforces the deadline, ends
/// the whole process tree and leaves a journal in the run folder, which is all that `recover`
/// needs.
///
/// Safe to call from any thread. Reports come from the engine's own watcher thread.
class LocalEngine final : public Engine {
 public:
  /// Unpacks the supervisor and tries it out once, so `capabilities()` says what this machine can
  /// really do. Blocks for some milliseconds. Fails when the data directory cannot hold programs,
  /// or when the runtime that was asked for by name is not there.
  static Result<std::unique_ptr<LocalEngine>> open(LocalOptions options, ReportSink sink);
  /// Lets go of the tasks; they run on.
  ~LocalEngine() override;

  Capabilities capabilities() const override;
  std::vector<NodeInfo> nodes() const override;
  Result<void> can_mount(const Mount& mount) const override;
  Addresses& addresses() override;
  boost::asio::awaitable<Result<void>> start(Launch launch) override;
  /// One whose paths, ports and addresses are found already.
  boost::asio::awaitable<Result<void>> start(LocalLaunch launch);
  boost::asio::awaitable<Result<void>> stop(model::TaskKey key, Millis grace) override;
  boost::asio::awaitable<Result<void>> set_deadline(model::TaskKey key,
                                                    std::optional<Time> deadline) override;
  /// Besides what Engine promises: run folders below the data directory that nobody expects are
  /// ended and removed, so call it before the first start.
  boost::asio::awaitable<Result<std::vector<model::TaskKey>>> recover(
      std::vector<model::TaskKey> expected) override;
  boost::asio::awaitable<Result<void>> forget(model::TaskKey key) override;
  boost::asio::awaitable<Result<void>> erase(JobId job) override;
  std::vector<UsageReport> usage() override;
  std::shared_ptr<telemetry::TaskRecords> records() const override;

  struct Impl;

 private:
  explicit LocalEngine(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ty::engine
