#pragma once
#include <algorithm>
#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "model/job.h"
#include "model/job_progress.h"
#include "model/job_query.h"
#include "store/database.h"

namespace ty::store {

/// The file as it was handed in, byte for byte.
struct Original {
  std::string media_type;
  std::string bytes;
  std::string sha256;  ///< hex
  /// Byte offset and length of the secrets in it; whoever shows the file puts `******` there.
  std::vector<std::pair<std::int64_t, std::int64_t>> secret_ranges;
};

/// Which jobs somebody may see: those of these workspaces, and their own wherever they are. No
/// workspace: all.
struct VisibleJobs {
  UserId owner;
  std::vector<WorkspaceId> workspaces;

  bool has(UserId whose, WorkspaceId where) const {
    return workspaces.empty() || whose == owner ||
           std::ranges::find(workspaces, where) != workspaces.end();
  }
};

struct NewJob {
  /// Everything but `seq`, `handle`, `version` and the names of owner and workspace, which the
  /// store finds. `created_at` may come back a little later: it never runs against the order of
  /// `seq` while the clock does not jump.
  model::Job job;
  std::string spec_json;  ///< model/spec_json.h
  Original original;
  model::TextMap labels;
  std::set<std::string> uploads;  ///< SHA-256 of the uploaded code it uses
  std::optional<Seconds> ttl;     ///< how long it is kept after its end
  bool unique_name = false;       ///< the dialect refuses a name its owner has in use already
  std::string idempotency_key;    ///< empty: none; looked for among the owner's
  std::string body_hash;          ///< with a key: what must be equal for the repetition to count
  std::string actor;              ///< who did it, for the event
  model::JsonText event = "{}";   ///< data of the event `job.submitted`
};

/// A job's file and spec as they are stored: a few hundred bytes, for those who hold many.
struct PackedSpec {
  std::shared_ptr<const std::string> body;
  std::size_t original_size = 0;
  /// The normalised spec as JSON (model/spec_json.h).
  Result<std::string> json() const;
};

struct Inserted {
  model::Job job;         ///< without tasks
  PackedSpec spec;        ///< empty when repeated
  bool repeated = false;  ///< an earlier request with this idempotency key made it
  EventId event;          ///< 0 when repeated
};

/// What happened to one job, to be stored as a whole or not at all.
struct JobChange {
  JobSeq job;
  std::int64_t version = 0;            ///< as last seen
  model::JobLife life;                 ///< new; its `tasks` are not looked at
  std::vector<model::Task> tasks;      ///< those of `life.attempt` that differ from before
  std::vector<model::EndedTry> ended;  ///< tries that are over
  std::vector<model::Note> notes;      ///< become events; an empty actor is written as "trainyard"
  Time at{};                           ///< time of the events
};

struct Saved {
  std::int64_t version = 0;
  EventId last_event;  ///< 0 without notes
};

struct Attempt {
  int attempt = 0;
  Time queued_at{};
  std::optional<Time> placed_at, started_at, decided_at, ended_at;
  model::Decision decision;
};

struct JobCount {
  WorkspaceId workspace;
  model::JobState state = model::JobState::Queued;
  std::int64_t jobs = 0;
};

/// Jobs, their files, tasks and history. Any thread.
class JobStore {
 public:
  explicit JobStore(Database& db);

  /// Stores the job, its file and the event `job.submitted`. The handle is the name, or
  /// `name-2`, `name-3`… where the owner has a job so called. With an idempotency key used before:
  /// the earlier job when the body is the same, else Conflict. Conflict (`name_taken`) also for a
  /// taken name under `unique_name`; NotFound when owner or workspace do not exist.
  boost::asio::awaitable<Result<Inserted>> insert(NewJob job);
  /// Several at once (a file with several documents or parameter values): all of them or none, in
  /// one transaction and in this order. With an idempotency key the n-th job counts under
  /// `key#n`, the first under `key`.
  boost::asio::awaitable<Result<std::vector<Inserted>>> insert(std::vector<NewJob> jobs);

  /// The calendar was set: every time that counts for a job that has not ended, or for a session,
  /// moves by `step`. The setting `mark` (name, value) says so in the same transaction, so that it
  /// happens once.
  boost::asio::awaitable<Result<void>> move_times(Millis step,
                                                  std::pair<std::string, std::string> mark);

  /// Stores what happened to many jobs in one group. Each item for itself: Conflict when the
  /// version is not the one seen (somebody else was faster), NotFound when the job is gone.
  boost::asio::awaitable<Result<std::vector<Result<Saved>>>> save(std::vector<JobChange> changes);

  /// With the tasks of its current attempt.
  boost::asio::awaitable<Result<model::Job>> find(JobId id);
  boost::asio::awaitable<Result<model::Job>> find(JobSeq seq);
  boost::asio::awaitable<Result<model::Job>> find_by_handle(UserId owner, std::string handle);
  /// By the first characters (4 or more) of an id, among the visible ones. Conflict, naming them,
  /// when several begin so.
  boost::asio::awaitable<Result<model::Job>> find_by_prefix(std::string prefix,
                                                            VisibleJobs visible = {});

  /// The normalised spec as JSON (model/spec_json.h).
  boost::asio::awaitable<Result<std::string>> spec(JobSeq seq);
  boost::asio::awaitable<Result<PackedSpec>> packed_spec(JobSeq seq);
  boost::asio::awaitable<Result<Original>> original(JobSeq seq);
  boost::asio::awaitable<Result<model::TextMap>> labels(JobSeq seq);

  /// Invalid for a cursor that is not from this store or belongs to another sort order. No job is
  /// shown twice and none that was there from the first page on is left out, whatever is stored in
  /// between. A page may hold fewer than `limit` jobs and still have a `next_cursor`: a search that
  /// finds little stops after a bounded number of rows rather than keep its caller waiting.
  /// Under `Ended`, jobs that have not ended come first.
  boost::asio::awaitable<Result<model::JobPage>> list(model::JobQuery query);
  /// Jobs by workspace and state, without counting them; those of one owner where given. Empty
  /// `workspaces`: all.
  boost::asio::awaitable<Result<std::vector<JobCount>>> counts(
      std::vector<WorkspaceId> workspaces, std::optional<UserId> owner = std::nullopt);

  /// Every job that is not final, with its tasks, oldest first: what a restarted server begins
  /// with. Blocking. Ends early with the error that `each` returns.
  Result<void> active(const std::function<Result<void>(model::Job)>& each);

  /// The data of the events `job.moved` of every job that is not final, since it waits, oldest
  /// first. Blocking, as `active`.
  Result<void> moves(const std::function<void(JobSeq, std::string)>& each);

  /// Every try of every task, oldest first.
  boost::asio::awaitable<Result<std::vector<model::EndedTry>>> task_history(JobSeq seq);
  /// Every attempt, the present one last.
  boost::asio::awaitable<Result<std::vector<Attempt>>> attempts(JobSeq seq);

  /// Forgets a job that has ended: its rows go, its name is free again, and the event
  /// `job.deleted`, which is returned, stays. Conflict while it is not final.
  boost::asio::awaitable<Result<EventId>> remove(JobSeq seq, std::string actor, Time at);
  /// Jobs whose ttl is over, at most `limit` of them.
  boost::asio::awaitable<Result<std::vector<std::pair<JobSeq, JobId>>>> expired(Time now,
                                                                                int limit = 100);
  /// Whether one of the visible jobs uses that code (SHA-256).
  boost::asio::awaitable<Result<bool>> is_upload_visible(std::string sha256, VisibleJobs visible);
  /// Those of `among` (SHA-256) that no job uses.
  boost::asio::awaitable<Result<std::vector<std::string>>> unused_uploads(
      std::vector<std::string> among);
  /// Drops idempotency keys used before `before`.
  boost::asio::awaitable<Result<std::int64_t>> forget_keys(Time before);

 private:
  Database& db_;
};

}  // namespace ty::store
