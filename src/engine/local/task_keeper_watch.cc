#include <signal.h>
#include <sys/wait.h>

#include "engine/local/paths.h"
#include "engine/local/process/run_folder.h"
#include "engine/local/supervisor/launch_format.h"
#include "engine/local/task_keeper.h"
#include "engine/messages.h"
#include "model/failure.h"

/// What supervisors say of themselves, on the watcher's thread, and what is told to control of it.
namespace ty::engine {

void TaskKeeper::on_journal(std::int64_t ticket) {
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

void TaskKeeper::on_running(std::int64_t ticket) {
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
  reports_.started(key, read_journal(run_dir));
}

void TaskKeeper::on_over(std::int64_t ticket) {
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

void TaskKeeper::on_gone(std::int64_t ticket) {
  std::optional<Held> held = release(ticket);
  if (!held) return;
  if (held->patience) --stopping_;
  watcher_.forget_file(held->journal_watch);
  watcher_.forget(held->pidfd.get());
  siginfo_t info = {};
  ::waitid(P_PIDFD, static_cast<id_t>(held->pidfd.get()), &info, WEXITED | WNOHANG);
  if (held->is_over) return;

  const JournalFacts facts = read_journal(held->run_dir);
  if (facts.holder && !facts.is_over()) {
    // Ours came second; the first one, an earlier server's, has the task.
    if (restore(held->key)) return;
  }
  if (!facts.has_begun) {
    const bool could_not =
        info.si_code == CLD_EXITED && info.si_status == supervisor::kExitUnusable;
    reports_.fault(
        held->key,
        model::fault(model::Reason::StartFailed,
                     could_not ? say::data_dir_unwritable() : say::supervisor_never_began()));
    return;
  }
  if (held->patience && !facts.is_over() && !facts.running) {
    reports_.fault(held->key, model::stopped());
    return;
  }
  if (held->is_contained && !facts.is_over()) {
    // Killed from outside. Asking why takes Docker a while: not on the watcher's thread.
    pool_.post([this, key = held->key, facts, is_started_reported = held->is_started_reported] {
      finish(key, facts, is_started_reported);
    });
    return;
  }
  finish(held->key, facts, held->is_started_reported);
}

void TaskKeeper::on_tick() {
  const std::lock_guard lock(mutex_);
  const Time now = patience_clock_.now();
  for (auto& [ticket, held] : held_) {
    if (!held.patience || now <= *held.patience || !held.pidfd) continue;
    held.patience = now + kStartPatience;
    if (!read_journal(held.run_dir).running) tell(held, SIGKILL, 0);
  }
}

void TaskKeeper::finish(const model::TaskKey& key,
                        const JournalFacts& facts,
                        bool is_started_reported) {
  const std::string run_dir = run_folder(data_dir_, key);
  const bool is_stopped = facts.ended && facts.ended->stop_asked;
  if (auto over = is_stopped ? over_limit(run_dir) : std::nullopt) {
    reports_.ended(key, facts, is_started_reported, {.stopped_for = std::move(over)});
    return;
  }
  if (!facts.running || !Transfers::has_saves(run_dir)) {
    reports_.ended(key, facts, is_started_reported);
    return;
  }
  // A server that closes meanwhile says nothing: the next one finds the task ended and saves again.
  transfer_threads_.later([this, key, facts, is_started_reported, run_dir] {
    const auto is_cancelled = [this] { return transfer_threads_.is_closing(); };
    auto fault = transfers_.save(run_dir, is_cancelled);
    if (!is_cancelled())
      reports_.ended(key, facts, is_started_reported, {.not_saved = std::move(fault)});
  });
}

}  // namespace ty::engine
