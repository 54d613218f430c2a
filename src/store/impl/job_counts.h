#pragma once
#include <cstdint>
#include <vector>

#include "base/result.h"
#include "model/job.h"
#include "store/tx.h"

namespace ty::store {

/// One combination of the columns that lists filter by. `job_counts` knows how many jobs each
/// holds; owner 0 stands for everybody.
struct Cell {
  UserId owner;
  WorkspaceId workspace;
  model::Dialect dialect = model::Dialect::Native;
  model::JobState state = model::JobState::Queued;
};

/// One job more, or one less, in the cell: for its owner and for everybody.
Result<void> count_job(Tx& tx, const Cell& cell, int by);
/// One job goes from its cell to the one of another state.
Result<void> count_move(Tx& tx, const Cell& cell, model::JobState to);

struct CountedCell {
  Cell cell;
  std::int64_t jobs = 0;
};

/// The cells of this owner (0: everybody) that are not empty.
Result<std::vector<CountedCell>> counted_cells(Tx& tx, UserId owner);

}  // namespace ty::store
