#pragma once
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "base/time.h"
#include "engine/engine.h"
#include "engine/local/disk_watch.h"
#include "engine/local/process/journal.h"
#include "engine/local/process/recycler.h"
#include "engine/local/process/watcher.h"
#include "engine/local/reports.h"
#include "engine/local/runtime.h"
#include "engine/local/transfer/transfer_threads.h"
#include "engine/local/transfer/transfers.h"
#include "engine/local/usage/usage_book.h"
#include "rt/blocking_pool.h"

namespace ty::engine {

/// Holds the tasks of this machine, each by its supervisor: begins them, takes them back after a
/// restart, tells them to end and reports what became of them. Who is held is known by ticket. A
/// ticket is given to each supervisor we start or take back, so that a late word of an earlier one
/// is never mistaken for the present one's.
///
/// Safe to call from any thread; everything but `stop` and `set_deadline` may block.
class TaskKeeper {
 public:
  TaskKeeper(std::string data_dir,
             std::size_t starters,
             std::int64_t disk_limit,
             ReportSink sink,
             std::unique_ptr<Recycler> recycler,
             std::unique_ptr<Runtime> runtime);
  /// Lets go of the tasks; they run on.
  ~TaskKeeper();

  bool is_watching() const { return watcher_.notify_fd() >= 0; }
  const Runtime& runtime() const { return *runtime_; }
  bool has_object_stores() const { return transfers_.is_possible(); }
  /// For whatever blocks; what runs here ends before we do.
  rt::BlockingPool& pool() { return pool_; }

  Result<void> start(const LocalLaunch& launch);
  Result<void> stop(const model::TaskKey& key, Millis grace);
  Result<void> set_deadline(const model::TaskKey& key, std::optional<Time> deadline);
  Result<std::vector<model::TaskKey>> recover(const std::vector<model::TaskKey>& expected);
  Result<void> forget(const model::TaskKey& key);
  std::vector<UsageReport> usage();

 private:
  struct Held {
    model::TaskKey key;
    std::string run_dir;
    Fd pidfd;  // none while it is being started
    int journal_watch = -1;
    bool is_preparing = true;  // its image is being pulled: nothing of it exists yet
    bool is_contained = false;
    bool is_started_reported = false;
    bool is_over = false;              // its end is reported; the supervisor only tidies up
    std::optional<Millis> stop_grace;  // a stop that came while it was being started
    std::optional<Time> patience;      // a stop was asked: until then its command may begin
  };

  // task_keeper_start.cc
  void fetch_then_prepare(const LocalLaunch& launch, std::int64_t ticket);
  Result<void> prepare(const LocalLaunch& launch, std::int64_t ticket);
  Result<void> begin(const LocalLaunch& launch, std::int64_t ticket);
  void begin_later(const LocalLaunch& launch,
                   std::int64_t ticket,
                   std::optional<model::Ending> fault);

  // task_keeper_recover.cc
  enum class Found : std::uint8_t { Held, Over, Nothing };
  Result<Found> restore(const model::TaskKey& key);
  Result<Found> attach(std::int64_t ticket, const model::TaskKey& key, const std::string& run_dir);
  bool await_first_word(const model::TaskKey& key, const std::string& run_dir);

  // task_keeper_watch.cc
  void on_running(std::int64_t ticket);
  void on_over(std::int64_t ticket);
  void on_gone(std::int64_t ticket);
  void on_journal(std::int64_t ticket);
  void on_tick();
  /// Reports the end, once its results are where they belong.
  void finish(const model::TaskKey& key, const JournalFacts& facts, bool is_started_reported);

  // task_keeper.cc
  std::int64_t reserve(const model::TaskKey& key, const std::string& run_dir);
  bool leave_preparation(std::int64_t ticket);
  std::optional<Held> release(std::int64_t ticket);
  void drop(std::int64_t ticket);
  std::vector<DiskWatch::Task> running();
  void tell(const Held& held, int signal, std::int64_t value);
  void tell_to_stop(const Held& held, Millis grace);

  const std::string data_dir_;
  const SystemClock clock_;
  const SteadyClock patience_clock_;  // setting the machine's clock ends nobody's patience

  std::mutex mutex_;
  std::map<model::TaskKey, std::int64_t> tickets_;
  std::unordered_map<std::int64_t, Held> held_;
  std::int64_t next_ticket_ = 1;
  std::atomic<int> stopping_ = 0;  // those told to stop make the watcher tick

  std::unique_ptr<Recycler> recycler_;
  std::unique_ptr<Runtime> runtime_;
  const Reports reports_;
  UsageBook usage_book_{*runtime_, clock_};
  Watcher watcher_;
  rt::BlockingPool pool_;  // so late that no start is under way when the watcher goes
  const Transfers transfers_;
  TransferThreads transfer_threads_;
  DiskWatch disk_watch_;
};

/// A supervisor that was told to stop while it still prepares the sandbox, on a mount that hangs,
/// cannot answer. After the grace and this it is killed; its namespace ends with it.
inline constexpr Millis kStartPatience{5000};

}  // namespace ty::engine
