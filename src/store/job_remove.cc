#include <utility>

#include "store/impl/event_rows.h"
#include "store/impl/job_counts.h"
#include "store/impl/name_index.h"
#include "store/job_store.h"
#include "store/messages.h"

namespace ty::store {

namespace asio = boost::asio;

namespace {

Result<EventId> remove_job(Tx& tx, JobSeq seq, std::string_view actor, Time at) {
  auto rows = tx.query(
      "select id, name, owner_id, workspace_id, dialect, state, idempotency_key from jobs "
      "where seq = :seq",
      seq);
  if (!rows.next()) {
    TY_DO(rows.status());
    return fail(Errc::NotFound, say::job_is_gone());
  }
  const auto id = rows.get<JobId>(0);
  const auto name = rows.get<std::string>(1);
  const Cell cell{rows.get<UserId>(2),
                  rows.get<WorkspaceId>(3),
                  rows.get<model::Dialect>(4),
                  rows.get<model::JobState>(5)};
  const auto key = rows.get<std::optional<std::string>>(6);
  if (!model::is_final(cell.state)) {
    return fail(Errc::Conflict, say::job_has_not_ended());
  }

  // The event comes first: it takes the next number, so that the numbers of the job's own events
  // are not the last ones.
  const EventSubject subject{
      .job = seq, .workspace = cell.workspace, .owner = cell.owner, .gone_job = id};
  TY_TRY(const EventId event, append_event(tx, subject, at, "job.deleted", actor, "{}"));
  TY_DO(tx.exec("delete from events where job_seq = :job and id < :event", seq, event));
  for (const char* sql : {"delete from tasks where job_seq = :job",
                          "delete from attempts where job_seq = :job",
                          "delete from job_labels where job_seq = :job",
                          "delete from job_uploads where job_seq = :job",
                          "delete from job_files where job_seq = :job",
                          "delete from jobs where seq = :job"}) {
    TY_DO(tx.exec(sql, seq));
  }
  if (key) {
    TY_DO(tx.exec(
        "delete from idempotency_keys where owner_id = :owner and key = :key", cell.owner, *key));
  }
  TY_DO(NameIndex::forget(tx, seq, name));
  TY_DO(tx.remember_id(Sequence::Jobs, seq.value));
  TY_DO(count_job(tx, cell, -1));
  return event;
}

}  // namespace

asio::awaitable<Result<EventId>> JobStore::remove(JobSeq seq, std::string actor, Time at) {
  auto write = [seq, &actor, at](Tx& tx) { return remove_job(tx, seq, actor, at); };
  co_return co_await db_.write(std::move(write));
}

asio::awaitable<Result<std::vector<std::pair<JobSeq, JobId>>>> JobStore::expired(Time now,
                                                                                 int limit) {
  auto read = [now, limit](Tx& tx) -> Result<std::vector<std::pair<JobSeq, JobId>>> {
    std::vector<std::pair<JobSeq, JobId>> jobs;
    auto rows = tx.query(
        "select seq, id from jobs where expires_at is not null and expires_at <= :now "
        "order by expires_at limit :limit",
        now,
        limit);
    while (rows.next()) jobs.emplace_back(rows.get<JobSeq>(0), rows.get<JobId>(1));
    TY_DO(rows.status());
    return jobs;
  };
  co_return co_await db_.read(std::move(read));
}

asio::awaitable<Result<bool>> JobStore::is_upload_visible(std::string sha256, VisibleJobs visible) {
  auto read = [&](Tx& tx) -> Result<bool> {
    auto rows = tx.query(
        "select j.owner_id, j.workspace_id from job_uploads u join jobs j on j.seq = u.job_seq "
        "where u.sha256 = :sha256",
        sha256);
    while (rows.next()) {
      if (visible.has(rows.get<UserId>(0), rows.get<WorkspaceId>(1))) return true;
    }
    TY_DO(rows.status());
    return false;
  };
  co_return co_await db_.read(std::move(read));
}

asio::awaitable<Result<std::vector<std::string>>> JobStore::unused_uploads(
    std::vector<std::string> among) {
  auto read = [&among](Tx& tx) -> Result<std::vector<std::string>> {
    std::vector<std::string> unused;
    for (std::string& sha256 : among) {
      TY_TRY(const auto user,
             tx.value<JobSeq>("select job_seq from job_uploads where sha256 = :sha256 limit 1",
                              sha256));
      if (!user) unused.push_back(std::move(sha256));
    }
    return unused;
  };
  co_return co_await db_.read(std::move(read));
}

asio::awaitable<Result<std::int64_t>> JobStore::forget_keys(Time before) {
  auto write = [before](Tx& tx) {
    return tx.exec("delete from idempotency_keys where created_at < :before", before);
  };
  co_return co_await db_.write(std::move(write));
}

}  // namespace ty::store
