#include <fmt/format.h>

#include <utility>

#include "model/words.h"
#include "store/impl/compress.h"
#include "store/impl/driver.h"
#include "store/impl/event_rows.h"
#include "store/impl/handles.h"
#include "store/impl/job_counts.h"
#include "store/impl/job_rows.h"
#include "store/job_store.h"
#include "store/messages.h"

namespace ty::store {

namespace asio = boost::asio;
using model::Job;

namespace {

/// Clocks are set back by a little now and then. Within this the order of `seq` is the order of
/// `created_at`, which lets a time range be found without an index of its own (impl/job_pages.h).
constexpr Millis kClockSlack{60'000};

/// The job file as job_files keeps it, packed by the caller's thread before the writer's turn.
struct PackedFile {
  PackedSpec spec;
  std::string secret_ranges;
};

PackedFile pack(const NewJob& fresh) {
  PackedFile file;
  std::string body = compress(fresh.original.bytes + fresh.spec_json);
  body.shrink_to_fit();
  file.spec = {.body = std::make_shared<const std::string>(std::move(body)),
               .original_size = fresh.original.bytes.size()};
  for (const auto& [offset, length] : fresh.original.secret_ranges) {
    file.secret_ranges +=
        fmt::format("{}{}+{}", file.secret_ranges.empty() ? "" : ",", offset, length);
  }
  return file;
}

Result<std::optional<Inserted>> find_repeated(Tx& tx, const NewJob& fresh) {
  if (fresh.idempotency_key.empty()) return std::nullopt;
  auto rows = tx.query(
      "select job_seq, body_hash from idempotency_keys where owner_id = :owner and key = :key",
      fresh.job.owner,
      fresh.idempotency_key);
  if (!rows.next()) {
    TY_DO(rows.status());
    return std::nullopt;
  }
  const JobSeq seq = rows.get<JobSeq>(0);
  if (rows.text(1) != fresh.body_hash) {
    return fail(Errc::Conflict, say::idempotency_key_used());
  }
  TY_TRY(auto job, load_job(tx, seq));
  if (!job) return fail(Errc::Internal, say::idempotency_key_dangling());
  return Inserted{.job = *std::move(job), .repeated = true};
}

Result<void> fill_names(Tx& tx, Job& job) {
  auto rows = tx.query(
      "select (select name from users where id = :owner), "
      "(select name from workspaces where id = :workspace)",
      job.owner,
      job.workspace);
  if (!rows.next()) return rows.status();
  if (rows.is_null(0)) return fail(Errc::NotFound, say::no_such_owner());
  if (rows.is_null(1)) return fail(Errc::NotFound, say::no_workspace());
  job.owner_name = rows.text(0);
  job.workspace_name = rows.text(1);
  return {};
}

Result<Handle> choose_handle(Tx& tx, const NewJob& fresh) {
  const Job& job = fresh.job;
  if (!fresh.unique_name) return free_handle(tx, job.owner, job.name);
  TY_TRY(auto taken, find_handle(tx, job.owner, job.name));
  if (!taken) return Handle{.name = job.name};
  auto rows = tx.query("select id, state from jobs where seq = :seq", *taken);
  if (!rows.next()) return fail(Errc::Internal, say::found_job_gone());
  return fail(Errc::Conflict,
              say::job_name_taken({.name = job.name,
                                   .id = rows.text(0).substr(0, 7),
                                   .state = model::to_word(rows.get<model::JobState>(1))}),
              {{.pointer = "/name", .message = say::name_taken(), .code = "name_taken"}});
}

/// When the job counts as created, so that time does not run against `seq`.
Result<Time> creation_time(Tx& tx, Time wanted) {
  std::optional<Time>& last = tx.memory().last_created_at;
  if (!last) {
    TY_TRY(auto newest, tx.value<Time>("select created_at from jobs order by seq desc limit 1"));
    last = newest.value_or(Time{});
  }
  if (wanted < *last) {
    if (*last - wanted <= kClockSlack) return *last;
    TY_DO(
        tx.exec("insert into meta (name, value) values ('clock_jumped_back', '1') on conflict "
                "(name) do nothing"));
  }
  last = wanted;
  return wanted;
}

Result<void> insert_job_row(Tx& tx, const NewJob& fresh, const Job& job, const Handle& handle) {
  const std::optional<std::string_view> key =
      fresh.idempotency_key.empty() ? std::nullopt
                                    : std::optional<std::string_view>(fresh.idempotency_key);
  static const std::string insert = fmt::format(
      "insert into jobs (seq, id, name, handle, handle_number, owner_id, workspace_id, dialect, "
      "priority, created_at, role_counts, gpus_total, ttl, idempotency_key, version, {}) "
      "values (:seq, :id, :name, :handle, :handle_number, :owner, :workspace, :dialect, "
      ":priority, :created_at, :role_counts, :gpus, :ttl, :key, :version, {})",
      life_columns(""),
      life_columns(":"));
  const std::string role_counts = write_role_counts(job.life.tasks);
  LifeParams values;
  values.params.reserve(15 + kLifeColumns);
  values.params.assign({Param(job.seq),
                        Param(job.id),
                        Param(job.name),
                        Param(job.handle),
                        Param(handle.number),
                        Param(job.owner),
                        Param(job.workspace),
                        Param(job.dialect),
                        Param(job.priority),
                        Param(job.created_at),
                        Param(role_counts),
                        Param(job.gpus_total),
                        Param(fresh.ttl),
                        Param(key),
                        Param(job.version)});
  values.add(job.life, true);
  TY_DO(tx.exec_params(insert, values.params));
  return {};
}

Result<void> insert_companions(Tx& tx,
                               const NewJob& fresh,
                               const PackedFile& file,
                               const Job& job) {
  TY_DO(tx.exec(
      "insert into job_files (job_seq, media_type, sha256, secret_ranges, original_size, body) "
      "values (:job, :media_type, :sha256, :secret_ranges, :original_size, :body)",
      job.seq,
      fresh.original.media_type,
      fresh.original.sha256,
      file.secret_ranges,
      file.spec.original_size,
      Blob{*file.spec.body}));
  for (const auto& [key, value] : fresh.labels) {
    TY_DO(
        tx.exec("insert into job_labels (job_seq, key, value, owner_id) values (:job, :key, "
                ":value, :owner)",
                job.seq,
                key,
                value,
                job.owner));
  }
  for (const std::string& sha256 : fresh.uploads) {
    TY_DO(tx.exec(
        "insert into job_uploads (job_seq, sha256) values (:job, :sha256)", job.seq, sha256));
  }
  for (const model::Task& task : job.life.tasks) {
    if (task != model::Task{.ref = task.ref})
      TY_DO(write_task(tx, job.seq, job.life.attempt, task));
  }
  if (!fresh.idempotency_key.empty()) {
    TY_DO(
        tx.exec("insert into idempotency_keys (owner_id, key, body_hash, job_seq, created_at) "
                "values (:owner, :key, :body_hash, :job, :at)",
                job.owner,
                fresh.idempotency_key,
                fresh.body_hash,
                job.seq,
                job.created_at));
  }
  return count_job(tx, {job.owner, job.workspace, job.dialect, job.life.state}, 1);
}

Result<Inserted> insert_job(Tx& tx, const NewJob& fresh, const PackedFile& file) {
  TY_TRY(auto repeated, find_repeated(tx, fresh));
  if (repeated) return *std::move(repeated);
  Job job = fresh.job;
  TY_DO(fill_names(tx, job));
  TY_TRY(const Handle handle, choose_handle(tx, fresh));
  job.handle = handle.text();
  TY_TRY(job.created_at, creation_time(tx, job.created_at));
  TY_TRY(job.seq.value, tx.next_id(Sequence::Jobs));
  job.version = 1;
  TY_DO(insert_job_row(tx, fresh, job, handle));
  TY_DO(insert_companions(tx, fresh, file, job));
  const EventSubject subject{.job = job.seq, .workspace = job.workspace, .owner = job.owner};
  TY_TRY(const EventId event,
         append_event(tx, subject, job.created_at, "job.submitted", fresh.actor, fresh.event));
  job.life.tasks.clear();
  return Inserted{.job = std::move(job), .spec = file.spec, .event = event};
}

}  // namespace

JobStore::JobStore(Database& db) : db_(db) {}

asio::awaitable<Result<Inserted>> JobStore::insert(NewJob fresh) {
  const PackedFile file = pack(fresh);
  auto write = [&fresh, &file](Tx& tx) { return insert_job(tx, fresh, file); };
  co_return co_await db_.write(std::move(write));
}

asio::awaitable<Result<std::vector<Inserted>>> JobStore::insert(std::vector<NewJob> fresh) {
  std::vector<PackedFile> files;
  for (std::size_t i = 0; i < fresh.size(); ++i) {
    if (i > 0 && !fresh[i].idempotency_key.empty())
      fresh[i].idempotency_key += fmt::format("#{}", i + 1);
    files.push_back(pack(fresh[i]));
  }
  auto write = [&fresh, &files](Tx& tx) -> Result<std::vector<Inserted>> {
    std::vector<Inserted> all;
    for (std::size_t i = 0; i < fresh.size(); ++i) {
      TY_TRY(Inserted one, insert_job(tx, fresh[i], files[i]));
      all.push_back(std::move(one));
    }
    return all;
  };
  co_return co_await db_.write(std::move(write));
}

}  // namespace ty::store
