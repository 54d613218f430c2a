#include <utility>

#include "store/database.h"
#include "store/job_store.h"

/// Stored times follow a calendar that was set.
namespace ty::store {

namespace asio = boost::asio;

namespace {

constexpr std::string_view kMoves[] = {
    "update tasks set started_at = started_at + :a, ended_at = ended_at + :b, "
    "hold_until = hold_until + :c "
    "where job_seq in (select seq from jobs where ended_at is null)",
    // Where an administrator has put a job in the queue counts from the start of its waiting.
    "update events set at = at + :a where kind = 'job.moved' "
    "and job_seq in (select seq from jobs where ended_at is null)",
    "update jobs set queued_at = queued_at + :a, not_before = not_before + :b, "
    "placed_at = placed_at + :c where ended_at is null",
    "update jobs set started_at = started_at + :a, decided_at = decided_at + :b, "
    "stop_at = stop_at + :c where ended_at is null",
    "update sessions set expires_at = expires_at + :a",
    "update sign_in_links set expires_at = expires_at + :a",
};

}  // namespace

asio::awaitable<Result<void>> JobStore::move_times(Millis step,
                                                   std::pair<std::string, std::string> mark) {
  auto write = [by = step.count(), mark = std::move(mark)](Tx& tx) -> Result<void> {
    for (const std::string_view sql : kMoves) {
      if (sql.find(":c") != std::string_view::npos) {
        TY_DO(tx.exec(sql, by, by, by));
      } else {
        TY_DO(tx.exec(sql, by));
      }
    }
    TY_DO(
        tx.exec("update settings set value = :value where name = :name", mark.second, mark.first));
    return {};
  };
  co_return co_await db_.write(std::move(write));
}

}  // namespace ty::store
