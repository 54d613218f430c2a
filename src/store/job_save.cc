#include <fmt/format.h>

#include <utility>

#include "store/impl/event_rows.h"
#include "store/impl/job_counts.h"
#include "store/impl/job_rows.h"
#include "store/job_store.h"
#include "store/messages.h"

namespace ty::store {

namespace asio = boost::asio;
using model::JobLife;

namespace {

/// What is stored of the job before the change.
struct Before {
  std::int64_t version = 0;
  Cell cell;
  int attempt = 0;
  Time queued_at{};
  std::optional<Time> placed_at, started_at, decided_at;
  std::optional<Millis> ttl;
};

Result<Before> load_before(Tx& tx, JobSeq seq) {
  auto rows = tx.query(
      "select version, owner_id, workspace_id, dialect, state, attempt, queued_at, placed_at, "
      "started_at, decided_at, ttl from jobs where seq = :seq",
      seq);
  if (!rows.next()) {
    TY_DO(rows.status());
    return fail(Errc::NotFound, say::job_is_gone());
  }
  return Before{
      .version = rows.integer(0),
      .cell = {rows.get<UserId>(1),
               rows.get<WorkspaceId>(2),
               rows.get<model::Dialect>(3),
               rows.get<model::JobState>(4)},
      .attempt = rows.get<int>(5),
      .queued_at = rows.get<Time>(6),
      .placed_at = rows.get<std::optional<Time>>(7),
      .started_at = rows.get<std::optional<Time>>(8),
      .decided_at = rows.get<std::optional<Time>>(9),
      .ttl = rows.get<std::optional<Millis>>(10),
  };
}

/// The attempt that gives way to a new one. What it was until now stands in the stored row; how it
/// ended is in the new life, whose decision is that of the last attempt until the next is decided.
Result<void> keep_attempt(Tx& tx, JobSeq seq, const Before& before, const JobLife& life) {
  TY_DO(
      tx.exec("insert into attempts (job_seq, attempt, queued_at, placed_at, started_at, "
              "decided_at, ended_at, "
              "decision) values (:job, :attempt, :queued_at, :placed_at, :started_at, :decided_at, "
              ":ended_at, "
              ":decision) on conflict (job_seq, attempt) do nothing",
              seq,
              before.attempt,
              before.queued_at,
              before.placed_at,
              before.started_at,
              before.decided_at ? before.decided_at : std::optional(life.queued_at),
              life.queued_at,
              decision_column(life.decision)));
  return {};
}

Result<void> update_row(Tx& tx, JobSeq seq, const Before& before, const JobLife& life) {
  static const std::string update = fmt::format(
      "update jobs set version = version + 1, {} where seq = :seq", life_assignments(false));
  static const std::string update_and_move = fmt::format(
      "update jobs set version = version + 1, {}, expires_at = :expires_at where seq = :seq",
      life_assignments(true));
  const bool moves = life.state != before.cell.state;
  LifeParams values;
  values.params.reserve(kLifeColumns + 2);
  values.add(life, moves);
  if (moves) {
    std::optional<Time> expires_at;
    if (life.ended_at && before.ttl) expires_at = *life.ended_at + *before.ttl;
    values.params.emplace_back(expires_at);
  }
  values.params.emplace_back(seq);
  TY_DO(tx.exec_params(moves ? update_and_move : update, values.params));
  if (!moves) return {};
  return count_move(tx, before.cell, life.state);
}

Result<void> write_tasks(Tx& tx, const JobChange& change, bool new_attempt) {
  for (const model::EndedTry& ended : change.ended) {
    TY_DO(write_task(tx, change.job, ended.attempt, ended.task));
  }
  for (const model::Task& task : change.tasks) {
    // Absence already says that a task of a new attempt waits for its first try.
    if (new_attempt && task == model::Task{.ref = task.ref}) continue;
    TY_DO(write_task(tx, change.job, change.life.attempt, task));
  }
  return {};
}

Result<Saved> save_one(Tx& tx, const JobChange& change) {
  TY_TRY(const Before before, load_before(tx, change.job));
  if (before.version != change.version) {
    return fail(Errc::Conflict, say::job_has_moved_on());
  }
  const bool new_attempt = change.life.attempt != before.attempt;
  if (new_attempt) TY_DO(keep_attempt(tx, change.job, before, change.life));
  TY_DO(update_row(tx, change.job, before, change.life));
  TY_DO(write_tasks(tx, change, new_attempt));
  Saved saved{.version = before.version + 1};
  const EventSubject subject{
      .job = change.job, .workspace = before.cell.workspace, .owner = before.cell.owner};
  for (const model::Note& note : change.notes) {
    TY_TRY(saved.last_event,
           append_event(tx, subject, change.at, note.kind, note.actor, note.data));
  }
  return saved;
}

bool is_refusal(const Error& error) {
  return error.code == Errc::Conflict || error.code == Errc::NotFound;
}

Result<std::vector<Result<Saved>>> save_all(Tx& tx, const std::vector<JobChange>& changes) {
  std::vector<Result<Saved>> answers;
  answers.reserve(changes.size());
  for (const JobChange& change : changes) {
    const std::int64_t changes_before = tx.changes();
    answers.push_back(save_one(tx, change));
    const Result<Saved>& answer = answers.back();
    // A refused item has written nothing, so the others may stay. Anything else ends the batch.
    if (!answer && (tx.changes() != changes_before || !is_refusal(answer.error()))) {
      return std::unexpected(answer.error());
    }
  }
  return answers;
}

}  // namespace

asio::awaitable<Result<std::vector<Result<Saved>>>> JobStore::save(std::vector<JobChange> changes) {
  auto write = [&changes](Tx& tx) { return save_all(tx, changes); };
  co_return co_await db_.write(std::move(write));
}

}  // namespace ty::store
