#pragma once
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "engine/engine.h"
#include "telemetry/memory_records.h"

namespace ty::engine {

/// What a fake task does, told by its command (`run: "fake: run 3s exit 7"`) or by its variable
/// `FAKE_TASK` (the same words without `fake:`). Words, in any order:
///   run 3s | run 250ms   how long it runs (default 0)
///   start 2s             how long until it has started
///   exit 7 | signal 11   how it ends (default exit 0)
///   oom | lost           ends out of memory; vanishes without a trace
///   never                runs until it is stopped
///   stubborn             does not react to SIGTERM: a stop takes the whole grace
///   unstartable          `start` fails
/// Any other command is a task that succeeds at once.
struct FakeTask {
  Millis start_after{0};
  std::optional<Millis> run{Millis{0}};  ///< none: never ends by itself
  model::Ending ending;
  bool stubborn = false;
  bool unstartable = false;

  static Result<FakeTask> parse(std::string_view words);
  static Result<FakeTask> of(const Launch& launch);
};

/// The machines behind one or more FakeEngines. It outlives them, as real machines outlive a
/// server: give the same world to a second engine and `recover` finds the tasks of the first.
class FakeWorld {
 public:
  explicit FakeWorld(std::vector<NodeInfo> nodes = {});

  /// How often a task try was truly begun; more than 1 is somebody's bug.
  int starts(const model::TaskKey& key) const;
  std::vector<model::TaskKey> running() const;
  /// What its tasks wrote and used.
  const std::shared_ptr<telemetry::MemoryRecords>& records() const { return records_; }
  /// As if the node had failed: every task on it is lost now.
  void lose_node(const std::string& node, Time now);

 private:
  friend class FakeEngine;
  struct Entry {
    FakeTask task;
    std::string node;
    Time start_at{};
    std::optional<Time> end_at;
    std::optional<Time> deadline;
    model::Ending ending;
    bool started_reported = false;
    bool ended_reported = false;
  };
  std::optional<Time> next_due_locked() const;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<NodeInfo> nodes_;
  const std::shared_ptr<telemetry::MemoryRecords> records_ =
      std::make_shared<telemetry::MemoryRecords>();
  std::map<model::TaskKey, Entry> tasks_;
  std::map<model::TaskKey, int> starts_;
};

/// Runs nothing, as told: no process, no file, no socket. Tasks have names on a network that is not
/// there, their logs lie in memory, and each uses one CPU and 64 MiB. Time is `clock`'s: with a
/// ManualClock call `run_due` after advancing it; with `Drive::Thread` a thread of its own follows
/// the system clock (`--engine fake`, `make dev`). Safe to call from any thread.
class FakeEngine final : public Engine {
 public:
  enum class Drive : std::uint8_t { ByHand, Thread };

  FakeEngine(std::shared_ptr<FakeWorld> world,
             const Clock& clock,
             ReportSink sink,
             Drive drive = Drive::ByHand);
  ~FakeEngine() override;

  Capabilities capabilities() const override;
  std::vector<NodeInfo> nodes() const override;
  Result<void> can_mount(const Mount&) const override { return {}; }
  Addresses& addresses() override { return addresses_; }
  boost::asio::awaitable<Result<void>> start(Launch launch) override;
  boost::asio::awaitable<Result<void>> stop(model::TaskKey key, Millis grace) override;
  boost::asio::awaitable<Result<void>> set_deadline(model::TaskKey key,
                                                    std::optional<Time> deadline) override;
  boost::asio::awaitable<Result<std::vector<model::TaskKey>>> recover(
      std::vector<model::TaskKey> expected) override;
  boost::asio::awaitable<Result<void>> forget(model::TaskKey key) override;
  boost::asio::awaitable<Result<void>> erase(JobId job) override;
  std::vector<UsageReport> usage() override;
  std::shared_ptr<telemetry::TaskRecords> records() const override { return world_->records(); }

  /// Reports everything due at the clock's present time, in order of time.
  void run_due();
  /// When something happens next by itself.
  std::optional<Time> next_due() const;

 private:
  std::optional<Time> by_our_clock(std::optional<Time> wall) const;
  void drive();

  std::shared_ptr<FakeWorld> world_;
  const Clock& clock_;
  ReportSink sink_;
  NetworkAddresses addresses_;
  bool is_closing_ = false;  // guarded by world_->mutex_
  std::thread thread_;
};

}  // namespace ty::engine
