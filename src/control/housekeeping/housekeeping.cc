#include "control/housekeeping/housekeeping.h"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "config/config.h"
#include "control/jobs/deletions.h"
#include "control/task_board.h"
#include "control/uploads/uploads.h"
#include "rt/blocking_pool.h"
#include "rt/log.h"
#include "store/job_store.h"
#include "store/token_store.h"
#include "telemetry/task_records.h"

namespace ty::control {

namespace asio = boost::asio;

namespace {

constexpr std::chrono::minutes kBetweenRounds{5};
/// Who repeats a submit by its key does so within a day; who sends code uses it within a day.
constexpr std::chrono::days kUnused{1};

}  // namespace

asio::awaitable<void> Housekeeping::run() {
  asio::steady_timer pause(co_await asio::this_coro::executor);
  for (;;) {
    co_await round();
    pause.expires_after(kBetweenRounds);
    co_await pause.async_wait(asio::use_awaitable);
  }
}

asio::awaitable<void> Housekeeping::round() {
  const Time now = p_.clock.now();
  // Files carry the machine's calendar.
  const Millis ahead = p_.clock.wall_ahead();
  if (std::chrono::abs(ahead) > Seconds{1})
    log::warn("clock.was_set by={}ms; a restart of the server takes the new time", ahead.count());
  co_await p_.deletions.finish_interrupted();
  co_await remove_expired_jobs(now);
  if (auto forgotten = co_await p_.jobs.forget_keys(now - kUnused); !forgotten)
    log::warn("housekeeping.keys_failed problem={}", forgotten.error().message);
  if (auto pruned = co_await p_.sessions.prune(now); !pruned)
    log::warn("housekeeping.sessions_failed problem={}", pruned.error().message);
  co_await remove_idle_uploads(now + ahead - kUnused);
  co_await sweep_logs(now + ahead);
}

asio::awaitable<void> Housekeeping::remove_expired_jobs(Time now) {
  while (!stopped_) {
    auto expired = co_await p_.jobs.expired(now);
    if (!expired || expired->empty()) co_return;
    for (const auto& [seq, id] : *expired) {
      auto removed =
          co_await p_.deletions.remove(seq, id, Deletions::Outputs::Stay, "trainyard", now);
      if (!removed) {
        log::warn("housekeeping.job_failed job={} problem={}", id.str(), removed.error().message);
        co_return;
      }
    }
  }
}

asio::awaitable<void> Housekeeping::remove_idle_uploads(Time before) {
  auto look = [this, before] { return p_.uploads.idle_since(before); };
  std::vector<std::string> idle = co_await p_.pool.run(std::move(look));
  if (idle.empty()) co_return;
  auto unused = co_await p_.jobs.unused_uploads(std::move(idle));
  if (!unused) co_return;
  auto remove = [this, before, &unused] {
    for (const std::string& sha256 : *unused) p_.uploads.remove(sha256, before);
  };
  co_await p_.pool.run(std::move(remove));
}

asio::awaitable<void> Housekeeping::sweep_logs(Time now) {
  const auto& settings = p_.config.logs;
  telemetry::KeepPolicy policy{.compress_after = settings.compress_after,
                               .delete_after = settings.keep};
  if (settings.max_total) policy.max_total = static_cast<std::uint64_t>(*settings.max_total);
  auto sweep = [this, policy, now] {
    return p_.records->sweep(
        policy,
        now,
        [this](const model::TaskKey& key) { return p_.board.has_ended(key); },
        [this] { return stopped_.load(); });
  };
  auto swept = co_await p_.pool.run(std::move(sweep));
  if (!swept) log::warn("housekeeping.logs_failed problem={}", swept.error().message);
}

}  // namespace ty::control
