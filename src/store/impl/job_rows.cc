#include "store/impl/job_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>

#include "model/life_json.h"
#include "store/impl/codes.h"
#include "store/messages.h"

namespace ty::store {

using model::Job;
using model::Task;

namespace {

template <class T>
std::optional<std::string> json_unless_default(const T& value) {
  if (value == T{}) return std::nullopt;
  return model::to_json(value);
}

}  // namespace

std::string job_columns(std::string_view owner_name, std::string_view workspace_name) {
  return fmt::format(
      "j.seq, j.id, j.name, j.handle, j.owner_id, {}, j.workspace_id, {}, j.dialect, j.priority, "
      "j.created_at, j.role_counts, j.gpus_total, j.version, {}",
      owner_name,
      workspace_name,
      life_columns("j."));
}

std::string write_role_counts(const std::vector<Task>& tasks) {
  std::vector<int> counts;
  for (const Task& task : tasks) {
    const auto role = static_cast<std::size_t>(task.ref.role);
    if (counts.size() <= role) counts.resize(role + 1);
    ++counts[role];
  }
  return fmt::format("{}", fmt::join(counts, ","));
}

std::vector<int> read_role_counts(std::string_view text) {
  std::vector<int> counts;
  const char* at = text.data();
  const char* end = at + text.size();
  while (at < end) {
    int count = 0;
    at = std::from_chars(at, end, count).ptr;
    counts.push_back(count);
    ++at;
  }
  return counts;
}

std::optional<std::string> decision_column(const model::Decision& decision) {
  return json_unless_default(decision);
}
std::optional<std::string> ending_column(const model::Ending& ending) {
  return json_unless_default(ending);
}
std::optional<std::string> placement_column(const std::optional<model::Placement>& placement) {
  if (!placement) return std::nullopt;
  return model::to_json(*placement);
}

Result<model::Decision> read_decision(const Rows& rows, int column) {
  if (rows.is_null(column)) return model::Decision{};
  return model::decision_from_json(rows.text(column));
}

Result<Job> read_job(const Rows& rows) {
  Job job;
  int c = 0;
  job.seq = rows.get<JobSeq>(c++);
  job.id = rows.get<JobId>(c++);
  job.name = rows.text(c++);
  job.handle = rows.text(c++);
  job.owner = rows.get<UserId>(c++);
  job.owner_name = rows.text(c++);
  job.workspace = rows.get<WorkspaceId>(c++);
  job.workspace_name = rows.text(c++);
  job.dialect = rows.get<model::Dialect>(c++);
  job.priority = rows.integer(c++);
  job.created_at = rows.get<Time>(c++);
  const std::vector<int> counts = read_role_counts(rows.text(c++));
  job.tasks_total = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  job.gpus_total = rows.integer(c++);
  job.version = rows.integer(c++);
  TY_DO(read_life(rows, c, job.life));
  return job;
}

Result<std::optional<Job>> load_job(Tx& tx, JobSeq seq) {
  static const std::string sql = fmt::format(
      "select {} from {} where j.seq = :seq", job_columns("u.name", "w.name"), kJobTables);
  auto rows = tx.query(sql, seq);
  std::optional<Job> job;
  if (rows.next()) {
    TY_TRY(job, read_job(rows));
  }
  TY_DO(rows.status());
  return job;
}

namespace {

/// `seq in (:s0, :s1, …)`, one text for each number of values.
std::string placeholders(std::size_t count) {
  std::string list;
  for (std::size_t i = 0; i < count; ++i) list += fmt::format("{}:s{}", i ? ", " : "", i);
  return list;
}

std::vector<Task> waiting_tasks(const std::vector<int>& counts) {
  std::vector<Task> tasks;
  for (int role = 0; role < static_cast<int>(counts.size()); ++role) {
    for (int i = 0; i < counts[static_cast<std::size_t>(role)]; ++i) {
      tasks.push_back(Task{.ref = {role, i}});
    }
  }
  return tasks;
}

/// Puts a stored try in its task's place; later tries come later and replace the earlier.
Result<void> place_task(Job& job, model::EndedTry row) {
  if (row.attempt != job.life.attempt) return {};
  std::vector<Task>& tasks = job.life.tasks;
  const auto before = [](const Task& task, const model::TaskRef& ref) { return task.ref < ref; };
  const auto found = std::lower_bound(tasks.begin(), tasks.end(), row.task.ref, before);
  if (found == tasks.end() || found->ref != row.task.ref) {
    return fail(Errc::Internal, say::stored_task_without_role({.job = job.id.str()}));
  }
  *found = std::move(row.task);
  return {};
}

}  // namespace

Result<std::vector<Job>> load_jobs_with_tasks(Tx& tx, std::span<const JobSeq> seqs) {
  std::vector<Param> params;
  for (const JobSeq seq : seqs) params.emplace_back(seq);
  const std::string list = placeholders(seqs.size());
  std::vector<Job> jobs;
  auto rows = tx.query_params(fmt::format("select {} from {} where j.seq in ({}) order by j.seq",
                                          job_columns("u.name", "w.name"),
                                          kJobTables,
                                          list),
                              params);
  while (rows.next()) {
    TY_TRY(auto job, read_job(rows));
    job.life.tasks = waiting_tasks(read_role_counts(rows.text(job_column::kRoleCounts)));
    jobs.push_back(std::move(job));
  }
  TY_DO(rows.status());

  auto tasks = tx.query_params(fmt::format("select job_seq, {} from tasks where job_seq in ({}) "
                                           "order by job_seq, attempt, role, task, tries",
                                           kTaskColumns,
                                           list),
                               params);
  auto job = jobs.begin();
  while (tasks.next()) {
    const JobSeq seq = tasks.get<JobSeq>(0);
    while (job != jobs.end() && job->seq < seq) ++job;
    if (job == jobs.end() || job->seq != seq) continue;
    TY_TRY(auto row, read_task(tasks, 1));
    TY_DO(place_task(*job, std::move(row)));
  }
  TY_DO(tasks.status());
  return jobs;
}

Result<model::EndedTry> read_task(const Rows& rows, int first) {
  model::EndedTry row;
  Task& task = row.task;
  int c = first;
  row.attempt = rows.get<int>(c++);
  task.ref.role = rows.get<int>(c++);
  task.ref.index = rows.get<int>(c++);
  task.tries = rows.get<int>(c++);
  task.state = rows.get<model::TaskState>(c++);
  task.restarts = rows.get<int>(c++);
  task.lost_restarts = rows.get<int>(c++);
  if (!rows.is_null(c)) {
    TY_TRY(task.placement, model::placement_from_json(rows.text(c)));
  }
  ++c;
  task.started_at = rows.get<std::optional<Time>>(c++);
  task.ended_at = rows.get<std::optional<Time>>(c++);
  if (!rows.is_null(c)) {
    TY_TRY(task.ending, model::ending_from_json(rows.text(c)));
  }
  ++c;
  task.hold_until = rows.get<std::optional<Time>>(c++);
  task.stopping_since = rows.get<std::optional<Time>>(c++);
  task.restarting = rows.get<int>(c++) != 0;
  return row;
}

Result<void> write_task(Tx& tx, JobSeq job, int attempt, const Task& task) {
  TY_DO(tx.exec(
      "insert into tasks (job_seq, attempt, role, task, tries, state, restarts, lost_restarts, "
      "placement, "
      "started_at, ended_at, ending, hold_until, stopping_since, restarting) values (:job, "
      ":attempt, :role, :task, :tries, :state, :restarts, :lost_restarts, :placement, :started_at, "
      ":ended_at, :ending, :hold_until, :stopping_since, :restarting) "
      "on conflict (job_seq, attempt, role, task, tries) do update set state = excluded.state, "
      "restarts = excluded.restarts, lost_restarts = excluded.lost_restarts, "
      "placement = excluded.placement, started_at = excluded.started_at, ended_at = "
      "excluded.ended_at, "
      "ending = excluded.ending, hold_until = excluded.hold_until, "
      "stopping_since = excluded.stopping_since, restarting = excluded.restarting",
      job,
      attempt,
      task.ref.role,
      task.ref.index,
      task.tries,
      task.state,
      task.restarts,
      task.lost_restarts,
      placement_column(task.placement),
      task.started_at,
      task.ended_at,
      ending_column(task.ending),
      task.hold_until,
      task.stopping_since,
      task.restarting ? 1 : 0));
  return {};
}

}  // namespace ty::store
