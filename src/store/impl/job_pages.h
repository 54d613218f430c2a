#pragma once
#include "base/result.h"
#include "model/job_query.h"
#include "store/tx.h"

namespace ty::store {

/// One page of jobs.
///
/// On SQLite we choose the way ourselves. Owner, workspace, dialect and state are small columns:
/// each combination of them is a cell with an index row of its own, and `job_counts` says which
/// cells hold how many jobs. A query picks the cells it wants and merges them; so it reads what it
/// shows, whatever is combined. Labels and name fragments have their own indexes; the smallest
/// source leads and the rest is compared row by row, up to a budget, after which the page ends with
/// a cursor to go on from. Time ranges become ranges of `seq`. Sorted by name or end, small sets
/// are sorted here and large ones read along the index of that order.
Result<model::JobPage> find_page_sqlite(Tx& tx, const model::JobQuery& query);

/// On PostgreSQL the planner has statistics and does this by itself.
Result<model::JobPage> find_page_postgres(Tx& tx, const model::JobQuery& query);

}  // namespace ty::store
