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

#include "engine/local/machine.h"
#include "engine/local/process/fd.h"
#include "engine/local/process/journal.h"
#include "engine/local/process/launch_writer.h"
#include "engine/local/process/probe.h"
#include "engine/local/process/run_folder.h"
#include "engine/local/process/setup.h"
#include "engine/local/process/spawn.h"
#include "engine/local/process/sweep.h"
#include "engine/local/process/watcher.h"
#include "engine/local/supervisor/launch_format.h"
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
    bool is_started_reported = false;
    bool is_taken_back = false;
    bool is_over = false;              // its end is reported; the supervisor only tidies up
    std::optional<Millis> stop_grace;  // a stop that came while it was being started
    std::optional<Time> patience;      // a stop was asked: until then its command may begin
  };

  Impl(LocalOptions given,
       ReportSink to,
       ProcessSetup found,
       Capabilities able,
       std::unique_ptr<Recycler> folders)
      : options(std::move(given)),
        sink(std::move(to)),
        setup(std::move(found)),
        capabilities(std::move(able)),
        recycler(std::move(folders)),
        watcher({.running = [this](std::int64_t ticket) { on_running(ticket); },
                 .over = [this](std::int64_t ticket) { on_over(ticket); },
                 .gone = [this](std::int64_t ticket) { on_gone(ticket); },
                 .tick = [this] { on_tick(); },
                 .wants_tick = [this] { return silent_ > 0 || stopping_ > 0; }}),
        pool(std::max<std::size_t>(options.starters, 1)) {}

  Result<void> start(const Launch& launch);
  Result<void> stop(const model::TaskKey& key, Millis grace);
  Result<void> set_deadline(const model::TaskKey& key, std::optional<Time> deadline);
  Result<std::vector<model::TaskKey>> recover(const std::vector<model::TaskKey>& expected);
  Result<void> forget(const model::TaskKey& key);

  Result<void> begin(const Launch& launch, std::int64_t ticket);
  enum class Found : std::uint8_t { Held, Over, Nothing };
  Result<Found> take_back(const model::TaskKey& key);

  std::int64_t reserve(const model::TaskKey& key, const std::string& run_dir);
  std::optional<Held> release(std::int64_t ticket);
  /// Releases one that never came to be watched.
  void drop(std::int64_t ticket) {
    if (const auto held = release(ticket); held && held->patience) --stopping_;
  }

  void on_running(std::int64_t ticket);
  void on_over(std::int64_t ticket);
  void on_gone(std::int64_t ticket);
  void on_tick();

  void report_started(const model::TaskKey& key, const JournalFacts& facts) const;
  void report_ended(const model::TaskKey& key,
                    const JournalFacts& facts,
                    bool is_started_reported) const;
  void report_fault(const model::TaskKey& key, model::Ending ending) const;

  const LocalOptions options;
  const ReportSink sink;
  const ProcessSetup setup;
  const Capabilities capabilities;
  const SystemClock clock;

  std::mutex mutex_;
  std::map<model::TaskKey, std::int64_t> tickets_;
  std::unordered_map<std::int64_t, Held> held_;
  std::int64_t next_ticket_ = 1;
  // Both make the watcher tick: those taken back whose command does not run yet, and those told to
  // stop.
  std::atomic<int> silent_ = 0;
  std::atomic<int> stopping_ = 0;

  std::unique_ptr<Recycler> recycler;
  Watcher watcher;
  rt::BlockingPool pool;  // last, so that no start is under way when the watcher goes
};

namespace {

/// A supervisor that was told to stop while it still prepares the sandbox, on a mount that hangs,
/// cannot answer. After the grace and this it is killed; its namespace ends with it.
constexpr Millis kStartPatience{5000};

void send_signal(int pidfd, int signal, std::int64_t value) {
  siginfo_t info = {};
  info.si_signo = signal;
  info.si_code = SI_QUEUE;
  info.si_pid = ::getpid();
  info.si_uid = ::getuid();
  info.si_value.sival_int = static_cast<int>(std::min<std::int64_t>(value, 0x7fffffff));
  // ESRCH: it has just ended by itself.
  ::syscall(SYS_pidfd_send_signal, pidfd, signal, &info, 0);
}

}  // namespace

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
  auto begun = begin(launch, ticket);
  if (!begun) drop(ticket);
  return begun;
}

Result<void> LocalEngine::Impl::begin(const Launch& launch, std::int64_t ticket) {
  auto plan = plan_process(setup, launch, ticket);
  if (!plan) {
    drop(ticket);
    report_fault(launch.key, std::move(plan).error());
    return {};
  }
  TY_DO(make_run_folder(launch, *plan, *recycler));
  const bool own_namespace = setup.isolation == Isolation::Namespaces;
  TY_TRY(Spawned spawned,
         spawn_supervisor(setup.supervisor, launch.run_dir, own_namespace, watcher.notify_fd()));
  {
    const std::lock_guard lock(mutex_);
    Held& held = held_.at(ticket);
    held.pidfd = std::move(spawned.pidfd);
    if (held.stop_grace) send_signal(held.pidfd.get(), SIGTERM, held.stop_grace->count());
    auto watched = watcher.watch(held.pidfd.get(), ticket);
    // Nobody would ever hear of it.
    if (!watched) send_signal(held.pidfd.get(), SIGKILL, 0);
    return watched;
  }
}

Result<LocalEngine::Impl::Found> LocalEngine::Impl::take_back(const model::TaskKey& key) {
  const std::string run_dir = run_folder(options.data_dir, key);
  for (int round = 0; round < 20; ++round) {
    const JournalFacts facts = read_journal(run_dir);
    if (!facts.holder || facts.is_over()) {
      if (!facts.has_begun) return Found::Nothing;
      report_ended(key, facts, false);
      return Found::Over;
    }
    Fd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, *facts.holder, 0)));
    if (!pidfd && errno != ESRCH) {
      return fail(Errc::Unavailable,
                  fmt::format("cannot take back {}: {}", run_dir, std::strerror(errno)));
    }
    if (!pidfd) continue;  // it ended just now: read again
    // The number may have gone to another process before we opened it; the lock cannot.
    const JournalFacts again = read_journal(run_dir);
    if (again.holder != facts.holder) continue;
    const std::int64_t ticket = reserve(key, run_dir);
    if (ticket == 0) return Found::Held;
    if (again.running) {
      report_started(key, again);
    } else {
      ++silent_;
    }
    const int watched_fd = pidfd.get();
    {
      const std::lock_guard lock(mutex_);
      Held& held = held_.at(ticket);
      held.pidfd = std::move(pidfd);
      held.is_taken_back = true;
      held.is_started_reported = again.running.has_value();
    }
    if (auto watched = watcher.watch(watched_fd, ticket); !watched) {
      drop(ticket);
      return std::unexpected(std::move(watched).error());
    }
    watcher.wake();
    return Found::Held;
  }
  return fail(Errc::Unavailable, fmt::format("{} changes its supervisor all the time", run_dir));
}

Result<void> LocalEngine::Impl::stop(const model::TaskKey& key, Millis grace) {
  const std::lock_guard lock(mutex_);
  const auto ticket = tickets_.find(key);
  if (ticket == tickets_.end()) return {};
  Held& held = held_.at(ticket->second);
  if (!held.patience) {
    held.patience = clock.now() + grace + kStartPatience;
    ++stopping_;
    watcher.wake();
  }
  if (!held.pidfd) {
    held.stop_grace = grace;
  } else {
    send_signal(held.pidfd.get(), SIGTERM, std::max<std::int64_t>(grace.count(), 0));
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
  TY_DO(replace_small_file(held.run_dir + supervisor::kDeadlineSuffix, fmt::to_string(at), 0600));
  if (held.pidfd) send_signal(held.pidfd.get(), SIGHUP, 0);
  return {};
}

Result<std::vector<model::TaskKey>> LocalEngine::Impl::recover(
    const std::vector<model::TaskKey>& expected) {
  const bool has_rebooted = is_new_boot(options.data_dir);
  std::vector<model::TaskKey> unknown;
  std::set<std::string> wanted;
  for (const model::TaskKey& key : expected) {
    const std::string run_dir = run_folder(options.data_dir, key);
    wanted.insert(run_dir);
    TY_TRY(const Found found, take_back(key));
    if (found != Found::Nothing) continue;
    std::error_code error;
    if (has_rebooted && std::filesystem::exists(run_dir, error)) {
      // Its journal may have been lost with the power; that it never began is not certain.
      report_fault(key, model::lost("the machine was restarted; the task is gone with it"));
    } else {
      unknown.push_back(key);
    }
  }
  sweep(options.data_dir, setup.cgroups, wanted, *recycler);
  remember_boot(options.data_dir);
  return unknown;
}

Result<void> LocalEngine::Impl::forget(const model::TaskKey& key) {
  {
    const std::lock_guard lock(mutex_);
    if (tickets_.contains(key)) return fail(Errc::Conflict, "the task is still running");
  }
  const std::string run_dir = run_folder(options.data_dir, key);
  // A supervisor that told the end removes its cgroups itself, at this moment perhaps.
  if (!read_journal(run_dir).is_over()) setup.cgroups.remove(cgroup_name(key));
  return recycler->remove(run_dir);
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
  report_started(key, read_journal(run_dir));
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
    Held& held = held_.at(ticket);
    held.is_over = true;
    tickets_.erase(key);
  }
  report_ended(key, facts, is_started_reported);
}

void LocalEngine::Impl::on_gone(std::int64_t ticket) {
  std::optional<Held> held = release(ticket);
  if (!held) return;
  if (held->is_taken_back && !held->is_started_reported) --silent_;
  if (held->patience) --stopping_;
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
    report_fault(held->key,
                 model::fault(model::Reason::StartFailed,
                              could_not ? "the data directory cannot be written; is the disk full?"
                                        : "the task's supervisor ended before it began"));
    return;
  }
  if (held->patience && !facts.is_over() && !facts.running) {
    report_fault(held->key, model::stopped());
    return;
  }
  report_ended(held->key, facts, held->is_started_reported);
}

void LocalEngine::Impl::on_tick() {
  std::vector<std::pair<std::int64_t, std::string>> silent;
  {
    const std::lock_guard lock(mutex_);
    const Time now = clock.now();
    for (auto& [ticket, held] : held_) {
      if (held.patience && now > *held.patience && held.pidfd) {
        held.patience = now + kStartPatience;
        if (!read_journal(held.run_dir).running) send_signal(held.pidfd.get(), SIGKILL, 0);
      }
      if (held.is_taken_back && !held.is_started_reported)
        silent.emplace_back(ticket, held.run_dir);
    }
  }
  for (const auto& [ticket, run_dir] : silent) {
    if (!read_journal(run_dir).running) continue;
    --silent_;
    on_running(ticket);
  }
}

void LocalEngine::Impl::report_started(const model::TaskKey& key, const JournalFacts& facts) const {
  TaskReport report;
  report.key = key;
  report.what = TaskReport::What::Started;
  report.at = facts.running.value_or(clock.now());
  report.warnings = facts.warnings;
  sink(std::move(report));
}

void LocalEngine::Impl::report_ended(const model::TaskKey& key,
                                     const JournalFacts& facts,
                                     bool is_started_reported) const {
  if (!is_started_reported && facts.running) report_started(key, facts);
  TaskReport report;
  report.key = key;
  report.what = TaskReport::What::Ended;
  report.at = clock.now();
  report.ending = ending_of(facts);
  if (facts.ended) {
    report.at = facts.ended->at;
    report.peak_memory = facts.ended->peak_memory;
    report.cpu_time = facts.ended->cpu_time;
  } else if (facts.failed) {
    report.at = facts.failed->at;
  }
  sink(std::move(report));
}

void LocalEngine::Impl::report_fault(const model::TaskKey& key, model::Ending ending) const {
  TaskReport report;
  report.key = key;
  report.what = TaskReport::What::Ended;
  report.at = clock.now();
  report.ending = std::move(ending);
  sink(std::move(report));
}

Result<std::unique_ptr<LocalEngine>> LocalEngine::open(LocalOptions options, ReportSink sink) {
  auto recycler = std::make_unique<Recycler>(options.data_dir + "/runs");
  TY_TRY(auto probed, probe_machine(options, *recycler));
  auto impl = std::make_unique<Impl>(std::move(options),
                                     std::move(sink),
                                     std::move(probed.setup),
                                     std::move(probed.capabilities),
                                     std::move(recycler));
  if (impl->watcher.notify_fd() < 0)
    return fail(Errc::Exhausted, "no descriptors left to watch tasks with");
  return std::unique_ptr<LocalEngine>(new LocalEngine(std::move(impl)));
}

LocalEngine::LocalEngine(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

LocalEngine::~LocalEngine() {
  // Supervisors whose task is over are tidying up; with the last of them our cgroups may go.
  for (int round = 0; round < 200; ++round) {
    {
      const std::lock_guard lock(impl_->mutex_);
      const bool is_waiting =
          std::ranges::any_of(impl_->held_, [](const auto& item) { return item.second.is_over; });
      if (!is_waiting) {
        if (impl_->held_.empty()) impl_->setup.cgroups.remove_own();
        return;
      }
    }
    ::usleep(1000);
  }
}

Capabilities LocalEngine::capabilities() const { return impl_->capabilities; }

std::vector<NodeInfo> LocalEngine::nodes() const {
  const LocalOptions& options = impl_->options;
  NodeInfo node;
  node.name = options.node_name.empty() ? machine_name() : options.node_name;
  node.address = options.address;
  node.cpu_milli = options.cpu_milli > 0 ? options.cpu_milli : machine_cpu_milli();
  node.memory = options.memory > 0 ? options.memory : machine_memory();
  node.gpu_types = options.gpu_types;
  node.labels = options.labels;
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

boost::asio::awaitable<Result<void>> LocalEngine::forget(model::TaskKey key) {
  auto work = [impl = impl_.get(), key = std::move(key)] { return impl->forget(key); };
  co_return co_await impl_->pool.run(std::move(work));
}

}  // namespace ty::engine
