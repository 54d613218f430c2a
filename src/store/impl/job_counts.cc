#include "store/impl/job_counts.h"

namespace ty::store {

Result<void> count_job(Tx& tx, const Cell& cell, int by) {
  TY_DO(
      tx.exec("insert into job_counts (owner_id, workspace_id, dialect, state, jobs) "
              "values (0, :workspace, :dialect, :state, :by), "
              "(:owner, :workspace, :dialect, :state, :by) "
              "on conflict (owner_id, workspace_id, dialect, state) "
              "do update set jobs = job_counts.jobs + excluded.jobs",
              cell.workspace,
              cell.dialect,
              cell.state,
              by,
              cell.owner));
  return {};
}

Result<void> count_move(Tx& tx, const Cell& cell, model::JobState to) {
  TY_DO(
      tx.exec("insert into job_counts (owner_id, workspace_id, dialect, state, jobs) "
              "values (0, :workspace, :dialect, :from, -1), (0, :workspace, :dialect, :to, 1), "
              "(:owner, :workspace, :dialect, :from, -1), (:owner, :workspace, :dialect, :to, 1) "
              "on conflict (owner_id, workspace_id, dialect, state) "
              "do update set jobs = job_counts.jobs + excluded.jobs",
              cell.workspace,
              cell.dialect,
              cell.state,
              to,
              cell.owner));
  return {};
}

Result<std::vector<CountedCell>> counted_cells(Tx& tx, UserId owner) {
  std::vector<CountedCell> cells;
  auto rows = tx.query(
      "select workspace_id, dialect, state, jobs from job_counts where owner_id = :owner", owner);
  while (rows.next()) {
    if (rows.integer(3) <= 0) continue;
    cells.push_back({.cell = {.owner = owner,
                              .workspace = rows.get<WorkspaceId>(0),
                              .dialect = rows.get<model::Dialect>(1),
                              .state = rows.get<model::JobState>(2)},
                     .jobs = rows.integer(3)});
  }
  TY_DO(rows.status());
  return cells;
}

}  // namespace ty::store
