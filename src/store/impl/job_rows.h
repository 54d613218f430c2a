#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/job.h"
#include "model/job_progress.h"
#include "store/impl/life_fields.h"
#include "store/tx.h"

/// Rows of the job tables as the model's values.
namespace ty::store {

/// The columns `read_job` wants, of a row of `jobs j`; the names of owner and workspace come from
/// the two expressions.
std::string job_columns(std::string_view owner_name, std::string_view workspace_name);
/// Where some of them are.
namespace job_column {
inline constexpr int kName = 2, kHandle = 3, kOwner = 4, kWorkspace = 6, kDialect = 8,
                     kCreatedAt = 10, kRoleCounts = 11, kLife = 14;
inline constexpr int kState = kLife + life_column("state");
inline constexpr int kEndedAt = kLife + life_column("ended_at");
}  // namespace job_column
/// Both names joined in.
inline constexpr const char* kJobTables =
    "jobs j left join users u on u.id = j.owner_id left join workspaces w on w.id = j.workspace_id";

/// How many tasks each role has: `1,4`.
std::string write_role_counts(const std::vector<model::Task>& tasks);
std::vector<int> read_role_counts(std::string_view text);

/// Null where the value says nothing.
std::optional<std::string> decision_column(const model::Decision& decision);
std::optional<std::string> ending_column(const model::Ending& ending);
std::optional<std::string> placement_column(const std::optional<model::Placement>& placement);
Result<model::Decision> read_decision(const Rows& rows, int column);

/// Without tasks. The current row of a query for `job_columns`.
Result<model::Job> read_job(const Rows& rows);
Result<std::optional<model::Job>> load_job(Tx& tx, JobSeq seq);
/// With the tasks of their present attempts, in the order of `seqs`, less those that are gone.
Result<std::vector<model::Job>> load_jobs_with_tasks(Tx& tx, std::span<const JobSeq> seqs);

/// Without the job they belong to.
inline constexpr const char* kTaskColumns =
    "attempt, role, task, tries, state, restarts, lost_restarts, placement, started_at, ended_at, "
    "ending, hold_until, stopping_since, restarting";
/// `first` is the column where they begin.
Result<model::EndedTry> read_task(const Rows& rows, int first = 0);
Result<void> write_task(Tx& tx, JobSeq job, int attempt, const model::Task& task);

}  // namespace ty::store
