#include "engine/local/task_keeper.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "engine/local/process/run_folder.h"
#include "engine/local/supervisor/launch_format.h"
#include "engine/messages.h"
#include "model/failure.h"

namespace ty::engine {

namespace {
constexpr Millis kDiskGrace{2000};  // the disk fills up meanwhile
}

TaskKeeper::TaskKeeper(std::string data_dir,
                       std::size_t starters,
                       std::int64_t disk_limit,
                       ReportSink sink,
                       std::unique_ptr<Recycler> recycler,
                       std::unique_ptr<Runtime> runtime)
    : data_dir_(std::move(data_dir)),
      recycler_(std::move(recycler)),
      runtime_(std::move(runtime)),
      reports_(std::move(sink), *runtime_),
      watcher_({.running = [this](std::int64_t ticket) { on_running(ticket); },
                .over = [this](std::int64_t ticket) { on_over(ticket); },
                .gone = [this](std::int64_t ticket) { on_gone(ticket); },
                .journal = [this](std::int64_t ticket) { on_journal(ticket); },
                .tick = [this] { on_tick(); },
                .wants_tick = [this] { return stopping_ > 0; }}),
      pool_(std::max<std::size_t>(starters, 1)),
      disk_watch_({.data_dir = data_dir_,
                   .limit = disk_limit,
                   .running = [this] { return running(); },
                   .own_files = [this](const auto& key) { return runtime_->own_files(key); },
                   .over =
                       [this, disk_limit](const DiskWatch::Task& task, std::int64_t used) {
                         remember_over_limit(task.run_dir, used, disk_limit);
                         [[maybe_unused]] const auto told = stop(task.key, kDiskGrace);
                       }}) {}

TaskKeeper::~TaskKeeper() {
  transfer_threads_.close();
  // Supervisors whose task is over are tidying up; with the last of them our cgroups may go.
  for (int round = 0; round < 200; ++round) {
    {
      const std::lock_guard lock(mutex_);
      const bool is_waiting =
          std::ranges::any_of(held_, [](const auto& item) { return item.second.is_over; });
      if (!is_waiting) break;
    }
    ::usleep(1000);
  }
  bool is_idle = false;
  {
    const std::lock_guard lock(mutex_);
    is_idle = held_.empty();
  }
  runtime_->close(is_idle);
}

namespace {

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

void TaskKeeper::tell(const Held& held, int signal, std::int64_t value) {
  if (send_signal(held.pidfd.get(), signal, value)) return;
  // Docker runs its containers as root; a server that is not must ask Docker.
  pool_.post([this, key = held.key, signal] {
    [[maybe_unused]] const auto told = runtime_->signal(key, signal);
  });
}

void TaskKeeper::tell_to_stop(const Held& held, Millis grace) {
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
  pool_.post([this, key = held.key] { runtime_->wake(key); });
}

std::int64_t TaskKeeper::reserve(const model::TaskKey& key, const std::string& run_dir) {
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
bool TaskKeeper::leave_preparation(std::int64_t ticket) {
  const std::lock_guard lock(mutex_);
  const auto found = held_.find(ticket);
  if (found == held_.end()) return false;
  found->second.is_preparing = false;
  return true;
}

std::optional<TaskKeeper::Held> TaskKeeper::release(std::int64_t ticket) {
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

/// Releases one that never came to be watched.
void TaskKeeper::drop(std::int64_t ticket) {
  const auto held = release(ticket);
  if (!held) return;
  if (held->patience) --stopping_;
  watcher_.forget_file(held->journal_watch);
}

Result<void> TaskKeeper::stop(const model::TaskKey& key, Millis grace) {
  std::unique_lock lock(mutex_);
  const auto ticket = tickets_.find(key);
  if (ticket == tickets_.end()) return {};
  Held& held = held_.at(ticket->second);
  if (held.is_preparing) {
    const std::int64_t number = ticket->second;
    lock.unlock();
    drop(number);
    reports_.fault(key, model::stopped());
    return {};
  }
  if (!held.patience) {
    held.patience = patience_clock_.now() + grace + kStartPatience;
    ++stopping_;
    watcher_.wake();
  }
  if (!held.pidfd) {
    held.stop_grace = grace;
  } else {
    tell_to_stop(held, grace);
  }
  return {};
}

Result<void> TaskKeeper::set_deadline(const model::TaskKey& key, std::optional<Time> deadline) {
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

Result<void> TaskKeeper::forget(const model::TaskKey& key) {
  {
    const std::lock_guard lock(mutex_);
    if (tickets_.contains(key)) return fail(Errc::Conflict, say::task_still_running());
  }
  return runtime_->remove(key);
}

std::vector<DiskWatch::Task> TaskKeeper::running() {
  std::vector<DiskWatch::Task> tasks;
  const std::lock_guard lock(mutex_);
  for (const auto& [ticket, held] : held_) {
    if (held.pidfd && !held.is_over && !held.patience) tasks.push_back({held.key, held.run_dir});
  }
  return tasks;
}

std::vector<UsageReport> TaskKeeper::usage() {
  std::vector<UsageBook::Running> running;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [ticket, held] : held_) {
      if (held.is_started_reported && !held.is_over)
        running.push_back({ticket, held.key, held.run_dir});
    }
  }
  return usage_book_.look(std::move(running));
}

}  // namespace ty::engine
