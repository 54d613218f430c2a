#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

#include "engine/local/paths.h"
#include "engine/local/process/run_folder.h"
#include "engine/local/process/sweep.h"
#include "engine/local/supervisor/launch_format.h"
#include "engine/local/task_keeper.h"
#include "engine/messages.h"
#include "model/failure.h"

/// Tasks that somebody else began: an earlier server, or Docker. Their journals say where they are.
namespace ty::engine {

Result<std::vector<model::TaskKey>> TaskKeeper::recover(
    const std::vector<model::TaskKey>& expected) {
  const bool has_rebooted = is_new_boot(data_dir_);
  std::vector<model::TaskKey> unknown;
  for (const model::TaskKey& key : expected) {
    const std::string run_dir = run_folder(data_dir_, key);
    TY_TRY(const Found found, restore(key));
    if (found != Found::Nothing) continue;
    std::error_code error;
    if (has_rebooted && std::filesystem::exists(run_dir, error)) {
      // Its journal may have been lost with the power; that it never began is not certain.
      reports_.fault(key, model::lost(say::machine_restarted()));
    } else {
      unknown.push_back(key);
    }
  }
  runtime_->sweep({expected.begin(), expected.end()});
  remember_boot(data_dir_);
  return unknown;
}

Result<TaskKeeper::Found> TaskKeeper::restore(const model::TaskKey& key) {
  const std::string run_dir = run_folder(data_dir_, key);
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
Result<TaskKeeper::Found> TaskKeeper::attach(std::int64_t ticket,
                                             const model::TaskKey& key,
                                             const std::string& run_dir) {
  const int journal_watch = watcher_.watch_file(run_dir + supervisor::kJournalSuffix, ticket);
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
      watcher_.forget_file(held->journal_watch);
      finish(key, facts, held->is_started_reported);
      return Found::Over;
    }
    Fd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, *facts.holder, 0)));
    if (!pidfd && errno != ESRCH) {
      return fail(Errc::Unavailable,
                  say::supervisor_not_taken_back({.path = run_dir, .why = std::strerror(errno)}));
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
      TY_DO(watcher_.watch(held.pidfd.get(), ticket));
    }
    on_journal(ticket);
    return Found::Held;
  }
  return fail(Errc::Unavailable, say::supervisor_keeps_changing({.path = run_dir}));
}

/// Docker says that a container runs when its first instruction is still to come. False: it never
/// came.
bool TaskKeeper::await_first_word(const model::TaskKey& key, const std::string& run_dir) {
  constexpr int kRounds = 5000;
  for (int round = 0; round < kRounds; ++round) {
    const JournalFacts facts = read_journal(run_dir);
    if (facts.has_begun) return true;
    if (round % 100 == 99 && runtime_->cause_of_end(key, false))
      return read_journal(run_dir).has_begun;
    ::usleep(2000);
  }
  return false;
}

}  // namespace ty::engine
