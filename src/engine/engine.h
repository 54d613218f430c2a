#pragma once
#include <boost/asio/awaitable.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/message.h"
#include "base/result.h"
#include "engine/addresses.h"
#include "engine/gpu.h"
#include "engine/launch.h"
#include "model/task_usage.h"
#include "telemetry/task_records.h"

namespace ty::engine {

/// What can be had where tasks run. Whoever decides by it asks for the fact, never for the name.
struct Capabilities {
  std::string runtime;            ///< its name, for people: `process`, `docker`, `fake`
  bool images = false;            ///< tasks run in the image they name
  bool limits = false;            ///< memory and CPU limits are enforced
  bool object_stores = false;     ///< mounts from and to object stores can be served
  bool isolation = false;         ///< tasks cannot see each other's processes and files
  bool own_network = false;       ///< a job has a network where its tasks know each other by name
  bool host_ports = false;        ///< tasks share the ports of their machine
  bool host_network = false;      ///< a role may ask for the machine's own network
  bool log_files = false;         ///< logs that run lie in plain files: LogPiece::file is to be had
  std::vector<Message> warnings;  ///< what a user should know about this machine
};

struct NodeInfo {
  std::string name;
  std::string address;
  std::int64_t cpu_milli = 0;
  std::int64_t memory = 0;
  std::vector<Gpu> gpus;  ///< position = device index
  model::TextMap labels;
  bool healthy = true;
  Message problem;
  Capabilities able;  ///< how tasks run there, and what a user should know about it
};

/// What became of a task try. Reported once per change, after restarts again for what is still
/// unread.
struct TaskReport {
  enum class What : std::uint8_t { Preparing, Started, Ended };
  model::TaskKey key;
  What what = What::Started;
  Time at{};
  model::Ending ending;          ///< with Ended; outcome Succeeded, Failed, Stopped or Lost
  std::int64_t peak_memory = 0;  ///< bytes, 0 unknown
  Millis cpu_time{0};
  std::vector<Message> warnings;  ///< with Started: limits that could not be set, …
  Message progress;               ///< with Preparing: "pulling python:3.12: 3 of 8 layers, …"
};

struct UsageReport {
  model::TaskKey key;
  model::TaskUsage usage;  ///< but for its GPUs, which `nodes()` tells of
};

/// Called from any thread; must not block.
using ReportSink = std::function<void(TaskReport)>;

/// Runs tasks somewhere: machines, networks, folders, logs and daemons are behind this face, and
/// what is said over it is in the platform's words alone. One instance per server; safe to call
/// from any thread.
///
/// A task try is known by its key. `start` may be repeated with the same key and then changes
/// nothing. What happens to a task later arrives through the sink given at construction, not as a
/// return value, and again after a restart until `forget`. Tasks outlive the server and the engine
/// object; only `stop`, a deadline or their own end ends them.
class Engine {
 public:
  virtual ~Engine() = default;
  virtual Capabilities capabilities() const = 0;
  virtual std::vector<NodeInfo> nodes() const = 0;
  /// Whether that could be mounted here, told at submit: a source that may still come is fine. The
  /// error is for the job's author. May look at a disk.
  virtual Result<void> can_mount(const Mount& mount) const = 0;
  /// How tasks are reached; as long as the engine.
  virtual Addresses& addresses() = 0;

  /// Returns once the task is handed to something that outlives this program. Errors: NotFound and
  /// Invalid are the job's fault, Conflict means that a port is taken, others are ours.
  virtual boost::asio::awaitable<Result<void>> start(Launch launch) = 0;
  /// SIGTERM, then SIGKILL after `grace`. Unknown or ended tasks are fine.
  virtual boost::asio::awaitable<Result<void>> stop(model::TaskKey key, Millis grace) = 0;
  /// A new hard stop for a task that runs, or none; holds also while the server is down. Unknown or
  /// ended tasks are fine.
  virtual boost::asio::awaitable<Result<void>> set_deadline(model::TaskKey key,
                                                            std::optional<Time> deadline) = 0;
  /// Called once, before anything else: takes back what still runs and reports, through the sink,
  /// every start and end of the tasks in `expected`; those it knows nothing of are reported in the
  /// return value.
  virtual boost::asio::awaitable<Result<std::vector<model::TaskKey>>> recover(
      std::vector<model::TaskKey> expected) = 0;
  /// The end of this try is on disk elsewhere: its run folder, cgroup and such may go. Logs and
  /// outputs stay.
  virtual boost::asio::awaitable<Result<void>> forget(model::TaskKey key) = 0;
  /// The job was deleted: its outputs go, and whatever else is left of it.
  virtual boost::asio::awaitable<Result<void>> erase(JobId job) = 0;

  /// What every running task uses now, as far as that is known. May block for a moment for each.
  virtual std::vector<UsageReport> usage() = 0;
  /// The logs of its tasks and what they used. Outlives the engine where somebody still reads.
  virtual std::shared_ptr<telemetry::TaskRecords> records() const = 0;
};

}  // namespace ty::engine
