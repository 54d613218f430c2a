#pragma once
#include <boost/asio/awaitable.hpp>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/gpu.h"
#include "engine/launch.h"
#include "model/task_usage.h"

namespace ty::engine {

struct Capabilities {
  model::RuntimeKind runtime = model::RuntimeKind::Process;
  bool images = false;         ///< tasks run in the image they name
  bool limits = false;         ///< memory and CPU limits are enforced
  bool object_stores = false;  ///< HostMount::fetch_from and save_to can be served
  bool isolation = false;      ///< tasks cannot see each other's processes and files
  std::vector<std::string>
      warnings;  ///< what a user should know about this machine, in full sentences
};

struct NodeInfo {
  std::string name;
  std::string address;
  std::int64_t cpu_milli = 0;
  std::int64_t memory = 0;
  std::vector<Gpu> gpus;  ///< position = device index
  model::TextMap labels;
  bool healthy = true;
  std::string problem;
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
  std::vector<std::string> warnings;  ///< with Started: limits that could not be set, …
  std::string progress;               ///< with Preparing: "pulling python:3.12: 3 of 8 layers, …"
};

struct UsageReport {
  model::TaskKey key;
  model::TaskUsage usage;  ///< but for its GPUs, which `nodes()` tells of
};

/// Called from any thread; must not block.
using ReportSink = std::function<void(TaskReport)>;

/// Runs tasks somewhere. One instance per configured backend; safe to call from any thread.
/// `start` may be repeated with the same key and then changes nothing. What happens to a task later
/// arrives through the sink given at construction, not as a return value.
class Engine {
 public:
  virtual ~Engine() = default;
  virtual Capabilities capabilities() const = 0;
  virtual std::vector<NodeInfo> nodes() const = 0;
  /// Returns once the task is handed to something that outlives this program.
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
  /// What every running task uses now, as far as that is known. May block for a moment for each.
  virtual std::vector<UsageReport> usage() { return {}; }
};

}  // namespace ty::engine
