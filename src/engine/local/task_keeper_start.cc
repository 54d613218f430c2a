#include <signal.h>

#include "engine/local/network/port_in_use.h"
#include "engine/local/paths.h"
#include "engine/local/process/run_folder.h"
#include "engine/local/task_keeper.h"
#include "engine/messages.h"
#include "model/failure.h"

/// From a launch to a supervisor that is watched: what it needs is fetched, its image pulled, then
/// it begins, once.
namespace ty::engine {

Result<void> TaskKeeper::start(const LocalLaunch& launch) {
  if (launch.run_dir != run_folder(data_dir_, launch.key))
    return fail(Errc::Invalid, say::wrong_run_folder({.path = launch.run_dir}));
  const JournalFacts facts = read_journal(launch.run_dir);
  if (facts.has_begun || facts.holder) {
    // An earlier server came further than it could tell: never begin twice.
    auto found = restore(launch.key);
    if (!found) return std::unexpected(std::move(found).error());
    if (*found != Found::Nothing) return {};
  }
  const std::int64_t ticket = reserve(launch.key, launch.run_dir);
  if (ticket == 0) return {};
  if (!Transfers::has_any(launch)) return prepare(launch, ticket);
  if (!transfer_threads_.later([this, launch, ticket] { fetch_then_prepare(launch, ticket); }))
    drop(ticket);
  return {};
}

void TaskKeeper::fetch_then_prepare(const LocalLaunch& launch, std::int64_t ticket) {
  const auto is_cancelled = [&] {
    const std::lock_guard lock(mutex_);
    return transfer_threads_.is_closing() || !held_.contains(ticket);
  };
  if (is_cancelled()) return;
  for (const HostMount& mount : launch.mounts) {
    if (mount.fetch_from)
      reports_.preparing(launch.key, say::fetching_data({.path = mount.fetch_from->path}));
  }
  std::optional<model::Ending> fault;
  if (const auto made = recycler_->make(launch.run_dir); !made)
    fault = model::fault(model::Reason::StartFailed, made.error().message);
  else
    fault = transfers_.fetch(launch, is_cancelled);
  if (is_cancelled()) {
    // Stopped, which was reported; and perhaps forgotten while the last files still came.
    if (transfer_threads_.is_closing()) return;
    [[maybe_unused]] const auto gone = recycler_->remove(launch.run_dir);
    return;
  }
  if (!fault) {
    const Result<void> begun = prepare(launch, ticket);
    if (begun) return;
    fault = model::fault(model::Reason::StartFailed, begun.error().message);
  }
  drop(ticket);
  reports_.fault(launch.key, *std::move(fault));
}

Result<void> TaskKeeper::prepare(const LocalLaunch& launch, std::int64_t ticket) {
  Runtime::OnReady later;
  later.progress = [this, key = launch.key](Message told) {
    reports_.preparing(key, std::move(told));
  };
  later.done = [this, launch, ticket](std::optional<model::Ending> fault) {
    pool_.post([this, launch, ticket, fault] { begin_later(launch, ticket, fault); });
  };
  const auto ready = runtime_->prepare(launch, std::move(later));
  if (!ready) {
    drop(ticket);
    reports_.fault(launch.key, ready.error());
    return {};
  }
  if (*ready == Runtime::Ready::Later || !leave_preparation(ticket)) return {};
  auto begun = begin(launch, ticket);
  if (!begun) drop(ticket);
  return begun;
}

void TaskKeeper::begin_later(const LocalLaunch& launch,
                             std::int64_t ticket,
                             std::optional<model::Ending> fault) {
  if (!leave_preparation(ticket)) return;
  if (!fault) {
    const auto begun = begin(launch, ticket);
    if (begun) return;
    fault = model::fault(model::Reason::StartFailed, begun.error().message);
  }
  drop(ticket);
  reports_.fault(launch.key, *fault);
}

Result<void> TaskKeeper::begin(const LocalLaunch& launch, std::int64_t ticket) {
  const bool shares_ports =
      launch.network == model::Network::Host || runtime_->capabilities().host_ports;
  if (const auto port = shares_ports ? port_in_use(launch.placement) : std::nullopt) {
    drop(ticket);
    reports_.fault(
        launch.key,
        model::fault(model::Reason::PortConflict, say::port_held_by_others({.port = *port})));
    return {};
  }
  TY_TRY(auto begun, runtime_->begin(launch, ticket, watcher_.notify_fd()));
  if (!begun) {
    drop(ticket);
    reports_.fault(launch.key, std::move(begun).error());
    return {};
  }
  if (!*begun) {
    TY_TRY(const Found found, attach(ticket, launch.key, launch.run_dir));
    if (found != Found::Nothing) return {};
    drop(ticket);
    reports_.fault(
        launch.key,
        runtime_->cause_of_end(launch.key, true)
            .value_or(model::fault(model::Reason::StartFailed, say::supervisor_never_began())));
    return {};
  }
  const std::lock_guard lock(mutex_);
  Held& held = held_.at(ticket);
  held.pidfd = *std::move(begun);
  if (held.stop_grace) tell_to_stop(held, *held.stop_grace);
  auto watched = watcher_.watch(held.pidfd.get(), ticket);
  // Nobody would ever hear of it.
  if (!watched) tell(held, SIGKILL, 0);
  return watched;
}

}  // namespace ty::engine
