#include "engine/local/local_engine.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <unordered_map>

#include "engine/local/gpu/gpu_watch.h"
#include "engine/local/machine.h"
#include "engine/local/ports.h"
#include "engine/local/process/fd.h"
#include "engine/local/process/journal.h"
#include "engine/local/process/run_folder.h"
#include "engine/local/process/sweep.h"
#include "engine/local/process/watcher.h"
#include "engine/local/reports.h"
#include "engine/local/runtimes.h"
#include "engine/local/supervisor/launch_format.h"
#include "engine/local/transfer/transfers.h"
#include "engine/local/usage/usage_book.h"
#include "engine/paths.h"
#include "model/failure.h"
#include "rt/blocking_pool.h"

namespace ty::engine {

/// The state of the engine: who is held, by ticket. A ticket is given to each supervisor we start
/// or take back, so that a late word of an earlier one is never mistaken for the present one's.
struct LocalEngine::Impl {
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

  Impl(LocalOptions given,
       ReportSink to,
       std::unique_ptr<Recycler> folders,
       std::unique_ptr<Runtime> how,
       std::unique_ptr<GpuWatch> devices)
      : options(std::move(given)),
        recycler(std::move(folders)),
        runtime(std::move(how)),
        reports(std::move(to), *runtime),
        gpus(std::move(devices)),
        watcher({.running = [this](std::int64_t ticket) { on_running(ticket); },
                 .over = [this](std::int64_t ticket) { on_over(ticket); },
                 .gone = [this](std::int64_t ticket) { on_gone(ticket); },
                 .journal = [this](std::int64_t ticket) { on_journal(ticket); },
                 .tick = [this] { on_tick(); },
                 .wants_tick = [this] { return stopping_ > 0; }}),
        pool(std::max<std::size_t>(options.starters, 1)) {}

  Result<void> start(const Launch& launch);
  Result<void> stop(const model::TaskKey& key, Millis grace);
  Result<void> set_deadline(const model::TaskKey& key, std::optional<Time> deadline);
  Result<std::vector<model::TaskKey>> recover(const std::vector<model::TaskKey>& expected);
  Result<void> forget(const model::TaskKey& key);
  std::vector<UsageReport> usage();

  void bring(const Launch& launch, std::int64_t ticket);
  Result<void> prepare(const Launch& launch, std::int64_t ticket);
  Result<void> begin(const Launch& launch, std::int64_t ticket);
  void begin_later(const Launch& launch, std::int64_t ticket, std::optional<model::Ending> fault);
  enum class Found : std::uint8_t { Held, Over, Nothing };
  Result<Found> take_back(const model::TaskKey& key);
  Result<Found> attach(std::int64_t ticket, const model::TaskKey& key, const std::string& run_dir);
  bool await_first_word(const model::TaskKey& key, const std::string& run_dir);

  std::int64_t reserve(const model::TaskKey& key, const std::string& run_dir);
  bool leave_preparation(std::int64_t ticket);
  std::optional<Held> release(std::int64_t ticket);
  /// Releases one that never came to be watched.
  void drop(std::int64_t ticket) {
    const auto held = release(ticket);
    if (!held) return;
    if (held->patience) --stopping_;
    watcher.forget_file(held->journal_watch);
  }
  void tell(const Held& held, int signal, std::int64_t value);
  void tell_to_stop(const Held& held, Millis grace);

  void on_running(std::int64_t ticket);
  void on_over(std::int64_t ticket);
  void on_gone(std::int64_t ticket);
  void on_journal(std::int64_t ticket);
  void on_tick();

  bool transfer_later(std::function<void()> work);
  /// Reports the end, once its results are where they belong.
  void finish(const model::TaskKey& key, const JournalFacts& facts, bool is_started_reported);

  const LocalOptions options;
  const SystemClock clock;

  std::mutex mutex_;
  std::map<model::TaskKey, std::int64_t> tickets_;
  std::unordered_map<std::int64_t, Held> held_;
  std::int64_t next_ticket_ = 1;
  std::atomic<int> stopping_ = 0;  // those told to stop make the watcher tick

  std::unique_ptr<Recycler> recycler;
  std::unique_ptr<Runtime> runtime;
  const Reports reports;
  UsageBook usage_book{*runtime, clock};
  std::unique_ptr<GpuWatch> gpus;
  Watcher watcher;
  rt::BlockingPool pool;  // so late that no start is under way when the watcher goes
  const Transfers transfers;
  std::atomic<bool> is_closing_ = false;
  std::mutex transfer_mutex_;
  std::unique_ptr<rt::BlockingPool> transfer_pool_;  // made when there is something to carry
};

namespace {

/// A supervisor that was told to stop while it still prepares the sandbox, on a mount that hangs,
/// cannot answer. After the grace and this it is killed; its namespace ends with it.
constexpr Millis kStartPatience{5000};

/// Object stores may take hours: they must not keep other tasks from starting, and one task's data
/// not another's for ever.
constexpr std::size_t kTransfersAtOnce = 4;

/// False: it is not ours to signal.
bool send_signal(int pidfd, int signal, std::int64_t value) {
  siginfo_t info = {};
  info.si_signo = signal;
  info.si_code = SI_QUEUE;
  info.si_pid = ::getpid();
  info.si_uid = ::getuid();
  info.si_value.sival_int = static_cast<int>(std::min<std::int64_t>(value, 0x7fffffff));
  // ESRCH: it has just ended by itself.
  return ::syscall(SYS_pidfd_send_signal, pidfd, signal, &info, 0) == 0 || errno != EPERM;
}

}  // namespace

void LocalEngine::Impl::tell(const Held& held, int signal, std::int64_t value) {
  if (send_signal(held.pidfd.get(), signal, value)) return;
  // Docker runs its containers as root; a server that is not must ask Docker.
  pool.post([this, key = held.key, signal] {
    [[maybe_unused]] const auto told = runtime->signal(key, signal);
  });
}

void LocalEngine::Impl::tell_to_stop(const Held& held, Millis grace) {
  const std::int64_t ms = std::max<std::int64_t>(grace.count(), 0);
  if (!held.is_contained) {
    tell(held, SIGTERM, ms);
    return;
  }
  const std::string file =
      control_prefix(held.run_dir, held.is_contained) + supervisor::kStopSuffix;
  // Without space for the file it must still end: as `docker stop` would end it.
  const bool is_written = replace_small_file(file, fmt::to_string(ms), 0644).has_value();
  tell(held, is_written ? SIGHUP : SIGTERM, 0);
}

std::int64_t LocalEngine::Impl::reserve(const model::TaskKey& key, const std::string& run_dir) {
  const std::lock_guard lock(mutex_);
  if (tickets_.contains(key)) return 0;
  const std::int64_t ticket = next_ticket_++;
  tickets_[key] = ticket;
  Held held;
  held.key = key;
  held.run_dir = run_dir;
  held_.emplace(ticket, std::move(held));
  return ticket;
}

/// False: it was stopped meanwhile, and must not begin.
bool LocalEngine::Impl::leave_preparation(std::int64_t ticket) {
  const std::lock_guard lock(mutex_);
  const auto found = held_.find(ticket);
  if (found == held_.end()) return false;
  found->second.is_preparing = false;
  return true;
}

std::optional<LocalEngine::Impl::Held> LocalEngine::Impl::release(std::int64_t ticket) {
  const std::lock_guard lock(mutex_);
  const auto found = held_.find(ticket);
  if (found == held_.end()) return std::nullopt;
  Held held = std::move(found->second);
  held_.erase(found);
  // Over and begun anew (which control never asks for), the key has another ticket by now.
  if (const auto mine = tickets_.find(held.key); mine != tickets_.end() && mine->second == ticket) {
    tickets_.erase(mine);
  }
  return held;
}

Result<void> LocalEngine::Impl::start(const Launch& launch) {
  if (launch.run_dir != run_folder(options.data_dir, launch.key)) {
    return fail(Errc::Invalid,
                fmt::format("{} is not the run folder of that task", launch.run_dir));
  }
  const JournalFacts facts = read_journal(launch.run_dir);
  if (facts.has_begun || facts.holder) {
    // An earlier server came further than it could tell: never begin twice.
    auto found = take_back(launch.key);
    if (!found) return std::unexpected(std::move(found).error());
    if (*found != Found::Nothing) return {};
  }
  const std::int64_t ticket = reserve(launch.key, launch.run_dir);
  if (ticket == 0) return {};
  if (!Transfers::has_any(launch)) return prepare(launch, ticket);
  if (!transfer_later([this, launch, ticket] { bring(launch, ticket); })) drop(ticket);
  return {};
}

/// False: we are closing, and the next server begins anew.
bool LocalEngine::Impl::transfer_later(std::function<void()> work) {
  const std::lock_guard lock(transfer_mutex_);
  if (is_closing_) return false;
  if (!transfer_pool_) transfer_pool_ = std::make_unique<rt::BlockingPool>(kTransfersAtOnce);
  transfer_pool_->post(std::move(work));
  return true;
}

void LocalEngine::Impl::bring(const Launch& launch, std::int64_t ticket) {
  const auto is_cancelled = [&] {
    const std::lock_guard lock(mutex_);
    return is_closing_ || !held_.contains(ticket);
  };
  if (is_cancelled()) return;
  for (const HostMount& mount : launch.mounts) {
    if (mount.fetch_from)
      reports.preparing(launch.key, fmt::format("fetching {}", mount.fetch_from->path));
  }
  std::optional<model::Ending> fault;
  if (const auto made = recycler->make(launch.run_dir); !made)
    fault = model::fault(model::Reason::StartFailed, made.error().message);
  else
    fault = transfers.fetch(launch, is_cancelled);
  if (is_cancelled()) {
    // Stopped, which was reported; and perhaps forgotten while the last files still came.
    if (is_closing_) return;
    [[maybe_unused]] const auto gone = recycler->remove(launch.run_dir);
    return;
  }
  if (!fault) {
    const Result<void> begun = prepare(launch, ticket);
    if (begun) return;
    fault = model::fault(model::Reason::StartFailed, begun.error().message);
  }
  drop(ticket);
  reports.fault(launch.key, *std::move(fault));
}

Result<void> LocalEngine::Impl::prepare(const Launch& launch, std::int64_t ticket) {
  Runtime::OnReady later;
  later.progress = [this, key = launch.key](std::string text) {
    reports.preparing(key, std::move(text));
  };
  later.done = [this, launch, ticket](std::optional<model::Ending> fault) {
    pool.post([this, launch, ticket, fault] { begin_later(launch, ticket, fault); });
  };
  const auto ready = runtime->prepare(launch, std::move(later));
  if (!ready) {
    drop(ticket);
    reports.fault(launch.key, ready.error());
    return {};
  }
  if (*ready == Runtime::Ready::Later || !leave_preparation(ticket)) return {};
  auto begun = begin(launch, ticket);
  if (!begun) drop(ticket);
  return begun;
}

void LocalEngine::Impl::begin_later(const Launch& launch,
                                    std::int64_t ticket,
                                    std::optional<model::Ending> fault) {
  if (!leave_preparation(ticket)) return;
  if (!fault) {
    const auto begun = begin(launch, ticket);
    if (begun) return;
    fault = model::fault(model::Reason::StartFailed, begun.error().message);
  }
  drop(ticket);
  reports.fault(launch.key, *fault);
}

Result<void> LocalEngine::Impl::begin(const Launch& launch, std::int64_t ticket) {
  const bool shares_ports =
      launch.network == model::Network::Host || !runtime->capabilities().images;
  if (const auto port = shares_ports ? port_in_use(launch.placement) : std::nullopt) {
    drop(ticket);
    reports.fault(launch.key,
                  model::fault(model::Reason::PortConflict,
                               fmt::format("port {} is taken: something else on this machine "
                                           "listens there; ask for another one, or for any",
                                           *port)));
    return {};
  }
  TY_TRY(auto begun, runtime->begin(launch, ticket, watcher.notify_fd()));
  if (!begun) {
    drop(ticket);
    reports.fault(launch.key, std::move(begun).error());
    return {};
  }
  if (!*begun) {
    TY_TRY(const Found found, attach(ticket, launch.key, launch.run_dir));
    if (found != Found::Nothing) return {};
    drop(ticket);
    reports.fault(launch.key,
                  runtime->autopsy(launch.key, true)
                      .value_or(model::fault(model::Reason::StartFailed,
                                             "the task's supervisor ended before it began")));
    return {};
  }
  const std::lock_guard lock(mutex_);
  Held& held = held_.at(ticket);
  held.pidfd = *std::move(begun);
  if (held.stop_grace) tell_to_stop(held, *held.stop_grace);
  auto watched = watcher.watch(held.pidfd.get(), ticket);
  // Nobody would ever hear of it.
  if (!watched) tell(held, SIGKILL, 0);
  return watched;
}

Result<LocalEngine::Impl::Found> LocalEngine::Impl::take_back(const model::TaskKey& key) {
  const std::string run_dir = run_folder(options.data_dir, key);
  const JournalFacts facts = read_journal(run_dir);
  if (!facts.has_begun && !facts.holder) return Found::Nothing;
  const std::int64_t ticket = reserve(key, run_dir);
  if (ticket == 0) return Found::Held;
  leave_preparation(ticket);
  auto found = attach(ticket, key, run_dir);
  if (!found || *found == Found::Nothing) drop(ticket);
  return found;
}

/// Begins to watch a supervisor that is found by its journal: one in a container, or one that an
/// earlier server started. `Over`: its end is reported, the ticket is gone.
Result<LocalEngine::Impl::Found> LocalEngine::Impl::attach(std::int64_t ticket,
                                                           const model::TaskKey& key,
                                                           const std::string& run_dir) {
  const int journal_watch = watcher.watch_file(run_dir + supervisor::kJournalSuffix, ticket);
  {
    const std::lock_guard lock(mutex_);
    Held& held = held_.at(ticket);
    held.is_contained = is_contained(run_dir);
    held.journal_watch = journal_watch;
  }
  for (int round = 0; round < 20; ++round) {
    const JournalFacts facts = read_journal(run_dir);
    if (!facts.holder || facts.is_over()) {
      if (!facts.has_begun) {
        if (is_contained(run_dir) && await_first_word(key, run_dir)) continue;
        return Found::Nothing;
      }
      const std::optional<Held> held = release(ticket);
      if (!held) return Found::Over;  // the watcher was faster
      if (held->patience) --stopping_;
      watcher.forget_file(held->journal_watch);
      finish(key, facts, held->is_started_reported);
      return Found::Over;
    }
    Fd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, *facts.holder, 0)));
    if (!pidfd && errno != ESRCH) {
      return fail(Errc::Unavailable,
                  fmt::format("cannot take back {}: {}", run_dir, std::strerror(errno)));
    }
    if (!pidfd) continue;  // it ended just now: read again
    // The number may have gone to another process before we opened it; the lock cannot.
    if (read_journal(run_dir).holder != facts.holder) continue;
    {
      const std::lock_guard lock(mutex_);
      const auto found = held_.find(ticket);
      if (found == held_.end()) return Found::Over;
      Held& held = found->second;
      held.pidfd = std::move(pidfd);
      if (held.stop_grace) tell_to_stop(held, *held.stop_grace);
      TY_DO(watcher.watch(held.pidfd.get(), ticket));
    }
    on_journal(ticket);
    return Found::Held;
  }
  return fail(Errc::Unavailable, fmt::format("{} changes its supervisor all the time", run_dir));
}

/// Docker says that a container runs when its first instruction is still to come. False: it never
/// came.
bool LocalEngine::Impl::await_first_word(const model::TaskKey& key, const std::string& run_dir) {
  constexpr int kRounds = 5000;
  for (int round = 0; round < kRounds; ++round) {
    const JournalFacts facts = read_journal(run_dir);
    if (facts.has_begun) return true;
    if (round % 100 == 99 && runtime->autopsy(key, false)) return read_journal(run_dir).has_begun;
    ::usleep(2000);
  }
  return false;
}

Result<void> LocalEngine::Impl::stop(const model::TaskKey& key, Millis grace) {
  std::unique_lock lock(mutex_);
  const auto ticket = tickets_.find(key);
  if (ticket == tickets_.end()) return {};
  Held& held = held_.at(ticket->second);
  if (held.is_preparing) {
    const std::int64_t number = ticket->second;
    lock.unlock();
    drop(number);
    reports.fault(key, model::stopped());
    return {};
  }
  if (!held.patience) {
    held.patience = clock.now() + grace + kStartPatience;
    ++stopping_;
    watcher.wake();
  }
  if (!held.pidfd) {
    held.stop_grace = grace;
  } else {
    tell_to_stop(held, grace);
  }
  return {};
}

Result<void> LocalEngine::Impl::set_deadline(const model::TaskKey& key,
                                             std::optional<Time> deadline) {
  const std::lock_guard lock(mutex_);
  const auto ticket = tickets_.find(key);
  if (ticket == tickets_.end()) return {};
  const Held& held = held_.at(ticket->second);
  // The file first: a supervisor that is still starting reads it by itself.
  const std::int64_t at = deadline ? std::max<std::int64_t>(to_millis(*deadline), 1) : 0;
  const std::string prefix = control_prefix(held.run_dir, held.is_contained);
  if (held.is_preparing) return {};  // control tells it again with the launch that follows
  TY_DO(replace_small_file(prefix + supervisor::kDeadlineSuffix, fmt::to_string(at), 0644));
  if (held.pidfd) tell(held, SIGHUP, 0);
  return {};
}

Result<std::vector<model::TaskKey>> LocalEngine::Impl::recover(
    const std::vector<model::TaskKey>& expected) {
  const bool has_rebooted = is_new_boot(options.data_dir);
  std::vector<model::TaskKey> unknown;
  for (const model::TaskKey& key : expected) {
    const std::string run_dir = run_folder(options.data_dir, key);
    TY_TRY(const Found found, take_back(key));
    if (found != Found::Nothing) continue;
    std::error_code error;
    if (has_rebooted && std::filesystem::exists(run_dir, error)) {
      // Its journal may have been lost with the power; that it never began is not certain.
      reports.fault(key, model::lost("the machine was restarted; the task is gone with it"));
    } else {
      unknown.push_back(key);
    }
  }
  runtime->sweep({expected.begin(), expected.end()});
  remember_boot(options.data_dir);
  return unknown;
}

Result<void> LocalEngine::Impl::forget(const model::TaskKey& key) {
  {
    const std::lock_guard lock(mutex_);
    if (tickets_.contains(key)) return fail(Errc::Conflict, "the task is still running");
  }
  return runtime->remove(key);
}

std::vector<UsageReport> LocalEngine::Impl::usage() {
  std::vector<UsageBook::Running> running;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [ticket, held] : held_) {
      if (held.is_started_reported && !held.is_over)
        running.push_back({ticket, held.key, held.run_dir});
    }
  }
  return usage_book.look(std::move(running));
}

void LocalEngine::Impl::on_journal(std::int64_t ticket) {
  std::string run_dir;
  {
    const std::lock_guard lock(mutex_);
    const auto found = held_.find(ticket);
    if (found == held_.end() || found->second.is_over) return;
    run_dir = found->second.run_dir;
  }
  const JournalFacts facts = read_journal(run_dir);
  if (facts.running) on_running(ticket);
  if (facts.is_over()) on_over(ticket);
}

void LocalEngine::Impl::on_running(std::int64_t ticket) {
  model::TaskKey key;
  std::string run_dir;
  {
    const std::lock_guard lock(mutex_);
    const auto found = held_.find(ticket);
    if (found == held_.end() || found->second.is_started_reported) return;
    found->second.is_started_reported = true;
    key = found->second.key;
    run_dir = found->second.run_dir;
  }
  reports.started(key, read_journal(run_dir));
}

void LocalEngine::Impl::on_over(std::int64_t ticket) {
  model::TaskKey key;
  std::string run_dir;
  bool is_started_reported = false;
  {
    const std::lock_guard lock(mutex_);
    const auto found = held_.find(ticket);
    if (found == held_.end() || found->second.is_over) return;
    key = found->second.key;
    run_dir = found->second.run_dir;
    is_started_reported = found->second.is_started_reported;
  }
  const JournalFacts facts = read_journal(run_dir);
  if (!facts.is_over()) return;
  {
    const std::lock_guard lock(mutex_);
    const auto found = held_.find(ticket);
    // Without a descriptor whoever attaches it now sees the end and tells it.
    if (found == held_.end() || found->second.is_over || !found->second.pidfd) return;
    found->second.is_over = true;
    tickets_.erase(key);
  }
  finish(key, facts, is_started_reported);
}

void LocalEngine::Impl::on_gone(std::int64_t ticket) {
  std::optional<Held> held = release(ticket);
  if (!held) return;
  if (held->patience) --stopping_;
  watcher.forget_file(held->journal_watch);
  watcher.forget(held->pidfd.get());
  siginfo_t info = {};
  ::waitid(P_PIDFD, static_cast<id_t>(held->pidfd.get()), &info, WEXITED | WNOHANG);
  if (held->is_over) return;

  const JournalFacts facts = read_journal(held->run_dir);
  if (facts.holder && !facts.is_over()) {
    // Ours came second; the first one, an earlier server's, has the task.
    if (take_back(held->key)) return;
  }
  if (!facts.has_begun) {
    const bool could_not =
        info.si_code == CLD_EXITED && info.si_status == supervisor::kExitUnusable;
    reports.fault(held->key,
                  model::fault(model::Reason::StartFailed,
                               could_not ? "the data directory cannot be written; is the disk full?"
                                         : "the task's supervisor ended before it began"));
    return;
  }
  if (held->patience && !facts.is_over() && !facts.running) {
    reports.fault(held->key, model::stopped());
    return;
  }
  if (held->is_contained && !facts.is_over()) {
    // Killed from outside. Asking why takes Docker a while: not on the watcher's thread.
    pool.post([this, key = held->key, facts, is_started_reported = held->is_started_reported] {
      finish(key, facts, is_started_reported);
    });
    return;
  }
  finish(held->key, facts, held->is_started_reported);
}

void LocalEngine::Impl::on_tick() {
  const std::lock_guard lock(mutex_);
  const Time now = clock.now();
  for (auto& [ticket, held] : held_) {
    if (!held.patience || now <= *held.patience || !held.pidfd) continue;
    held.patience = now + kStartPatience;
    if (!read_journal(held.run_dir).running) tell(held, SIGKILL, 0);
  }
}

void LocalEngine::Impl::finish(const model::TaskKey& key,
                               const JournalFacts& facts,
                               bool is_started_reported) {
  const std::string run_dir = run_folder(options.data_dir, key);
  if (!facts.running || !Transfers::has_saves(run_dir)) {
    reports.ended(key, facts, is_started_reported);
    return;
  }
  // A server that closes meanwhile says nothing: the next one finds the task ended and saves again.
  transfer_later([this, key, facts, is_started_reported, run_dir] {
    const auto is_cancelled = [this] { return is_closing_.load(); };
    auto fault = transfers.save(run_dir, is_cancelled);
    if (!is_cancelled()) reports.ended(key, facts, is_started_reported, std::move(fault));
  });
}

Result<std::unique_ptr<LocalEngine>> LocalEngine::open(LocalOptions options, ReportSink sink) {
  auto recycler = std::make_unique<Recycler>(options.data_dir + "/runs");
  std::unique_ptr<GpuSource> source;
  std::vector<Gpu> gpus;
  if (options.gpus.empty()) {
    source = open_nvml();
    if (source) gpus = source->inventory();
  } else if (options.gpus != std::vector<std::string>{"none"}) {
    TY_TRY(gpus, configured_gpus(options.gpus));
  }
  TY_TRY(std::unique_ptr<Runtime> runtime, open_runtime(options, gpus, *recycler));
  auto watch =
      std::make_unique<GpuWatch>(std::move(gpus), std::move(source), options.on_nodes_changed);
  // Docker takes its time for each start; more of them at once cost us nothing but threads.
  if (runtime->capabilities().images) options.starters = std::max<std::size_t>(options.starters, 8);
  auto impl = std::make_unique<Impl>(std::move(options),
                                     std::move(sink),
                                     std::move(recycler),
                                     std::move(runtime),
                                     std::move(watch));
  if (impl->watcher.notify_fd() < 0)
    return fail(Errc::Exhausted, "no descriptors left to watch tasks with");
  return std::unique_ptr<LocalEngine>(new LocalEngine(std::move(impl)));
}

LocalEngine::LocalEngine(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

LocalEngine::~LocalEngine() {
  std::unique_ptr<rt::BlockingPool> carriers;
  {
    const std::lock_guard lock(impl_->transfer_mutex_);
    impl_->is_closing_ = true;
    carriers = std::move(impl_->transfer_pool_);
  }
  carriers.reset();
  // Supervisors whose task is over are tidying up; with the last of them our cgroups may go.
  for (int round = 0; round < 200; ++round) {
    {
      const std::lock_guard lock(impl_->mutex_);
      const bool is_waiting =
          std::ranges::any_of(impl_->held_, [](const auto& item) { return item.second.is_over; });
      if (!is_waiting) break;
    }
    ::usleep(1000);
  }
  bool is_idle = false;
  {
    const std::lock_guard lock(impl_->mutex_);
    is_idle = impl_->held_.empty();
  }
  impl_->runtime->close(is_idle);
}

Capabilities LocalEngine::capabilities() const {
  Capabilities all = impl_->runtime->capabilities();
  all.object_stores = impl_->transfers.is_possible();
  return all;
}

std::vector<NodeInfo> LocalEngine::nodes() const {
  const LocalOptions& options = impl_->options;
  NodeInfo node;
  node.name = options.node_name.empty() ? machine_name() : options.node_name;
  node.address = options.address;
  node.cpu_milli = options.cpu_milli > 0 ? options.cpu_milli : machine_cpu_milli();
  node.memory = options.memory > 0 ? options.memory : machine_memory();
  node.gpus = impl_->gpus->now();
  node.labels = options.labels;
  node.problem = impl_->runtime->problem();
  node.healthy = node.problem.empty();
  node.able = impl_->runtime->capabilities();
  return {node};
}

boost::asio::awaitable<Result<void>> LocalEngine::start(Launch launch) {
  auto work = [impl = impl_.get(), launch = std::move(launch)] { return impl->start(launch); };
  co_return co_await impl_->pool.run(std::move(work));
}

boost::asio::awaitable<Result<void>> LocalEngine::stop(model::TaskKey key, Millis grace) {
  co_return impl_->stop(key, grace);
}

boost::asio::awaitable<Result<void>> LocalEngine::set_deadline(model::TaskKey key,
                                                               std::optional<Time> deadline) {
  co_return impl_->set_deadline(key, deadline);
}

boost::asio::awaitable<Result<std::vector<model::TaskKey>>> LocalEngine::recover(
    std::vector<model::TaskKey> expected) {
  auto work = [impl = impl_.get(), expected = std::move(expected)] {
    return impl->recover(expected);
  };
  co_return co_await impl_->pool.run(std::move(work));
}

std::vector<UsageReport> LocalEngine::usage() { return impl_->usage(); }

boost::asio::awaitable<Result<void>> LocalEngine::forget(model::TaskKey key) {
  auto work = [impl = impl_.get(), key = std::move(key)] { return impl->forget(key); };
  co_return co_await impl_->pool.run(std::move(work));
}

}  // namespace ty::engine
