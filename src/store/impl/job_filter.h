#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "model/job_query.h"
#include "store/impl/job_counts.h"
#include "store/tx.h"

namespace ty::store {

/// The conditions of a JobQuery, ready to be asked many times.
class JobFilter {
 public:
  explicit JobFilter(const model::JobQuery& query);

  /// Does it look at owner, workspace, dialect or state at all?
  bool by_cell() const { return by_cell_; }
  bool wants_owner(UserId owner) const { return !query_.owner || *query_.owner == owner; }
  bool wants_workspace(WorkspaceId workspace) const;
  bool wants_dialect(model::Dialect dialect) const {
    return !query_.dialect || *query_.dialect == dialect;
  }
  bool wants_state(model::JobState state) const {
    return (states_ >> static_cast<int>(state) & 1) != 0;
  }
  bool wants_cell(const Cell& cell) const {
    return wants_workspace(cell.workspace) && wants_dialect(cell.dialect) &&
           wants_state(cell.state);
  }
  /// Capitals of ASCII do not count, on either database.
  bool wants_name(std::string_view name) const;
  /// Everything but the label, which is not in the job's row.
  bool wants(const model::Job& job) const;

  const std::string& name_part() const { return name_part_; }  ///< in small letters
  const model::JobQuery& query() const { return query_; }

 private:
  const model::JobQuery& query_;
  std::string name_part_;
  unsigned states_ = 0;
  bool by_cell_ = false;
};

/// The jobs that were created in the query's time, as numbers from `low` to `high`: creation times
/// grow with seq, so no index of times is needed. Everything, once a clock was set back; times are
/// compared as well.
struct CreatedRange {
  std::int64_t low = 1;
  std::int64_t high = INT64_MAX;
};
Result<CreatedRange> created_range(Tx& tx, const model::JobQuery& query);

/// Where a page ended, in the order of its sort. Cursors are these as text.
///
/// Equal names stand in the order of `seq`; among the jobs of one owner, where an index of their
/// handles leads, in the order of their numbers.
struct Position {
  std::int64_t tie = 0;                  ///< seq; the handle's number under Name for one owner
  std::string name;                      ///< under Name
  std::optional<std::int64_t> ended_at;  ///< under Ended; empty: among those that have not
};

std::string write_cursor(const model::JobQuery& query, const Position& position);
/// Empty for an empty cursor; Invalid for one that another kind of list made.
Result<std::optional<Position>> read_cursor(const model::JobQuery& query);
Position position_of(const model::JobQuery& query, const model::Job& job);
/// Whether `b` comes after `a`.
bool is_after(const model::JobQuery& query, const Position& a, const Position& b);

}  // namespace ty::store
