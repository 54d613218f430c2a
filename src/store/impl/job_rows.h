#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "model/job.h"
#include "model/job_progress.h"
#include "store/tx.h"

/// Rows of the job tables as the model's values.
namespace ty::store {

/// The columns `read_job` wants, of `jobs j` joined with owner and workspace.
inline constexpr const char* kJobColumns =
    "j.seq, j.id, j.name, j.handle, j.owner_id, u.name, j.workspace_id, w.name, j.dialect, "
    "j.priority, "
    "j.created_at, j.role_counts, j.gpus_total, j.version, j.state, j.ending_as, j.attempt, "
    "j.retries, "
    "j.decision, j.queued_at, j.not_before, j.placed_at, j.started_at, j.decided_at, j.stop_at, "
    "j.ended_at, "
    "j.ran, j.time_limit";
inline constexpr const char* kJobTables =
    "jobs j left join users u on u.id = j.owner_id left join workspaces w on w.id = j.workspace_id";

/// How many tasks each role has: `1,4`.
std::string write_role_counts(const std::vector<model::Task>& tasks);
std::vector<int> read_role_counts(std::string_view text);

/// Null where the value says nothing.
std::optional<std::string> decision_column(const model::Decision& decision);
std::optional<std::string> retries_column(const model::RetryCount& retries);
std::optional<std::string> ending_column(const model::Ending& ending);
std::optional<std::string> placement_column(const std::optional<model::Placement>& placement);
Result<model::Decision> read_decision(const Rows& rows, int column);

/// Without tasks. The current row of a query for kJobColumns.
Result<model::Job> read_job(const Rows& rows);
Result<std::optional<model::Job>> load_job(Tx& tx, JobSeq seq);
/// Fills `life.tasks` for the present attempt.
Result<void> load_tasks(Tx& tx, model::Job& job);

inline constexpr const char* kTaskColumns =
    "attempt, role, task, tries, state, restarts, lost_restarts, placement, started_at, ended_at, "
    "ending, hold_until";
Result<model::EndedTry> read_task(const Rows& rows);
Result<void> write_task(Tx& tx, JobSeq job, int attempt, const model::Task& task);

}  // namespace ty::store
