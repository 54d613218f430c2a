#include <algorithm>
#include <utility>

#include "store/impl/job_counts.h"
#include "store/impl/job_pages.h"
#include "store/job_store.h"

namespace ty::store {

namespace asio = boost::asio;

namespace {
constexpr int kLargestJobPage = 500;
}  // namespace

asio::awaitable<Result<model::JobPage>> JobStore::list(model::JobQuery query) {
  query.limit = std::clamp(query.limit, 1, kLargestJobPage);
  auto read = [&query](Tx& tx) {
    return tx.is_postgres() ? find_page_postgres(tx, query) : find_page_sqlite(tx, query);
  };
  co_return co_await db_.read(std::move(read));
}

asio::awaitable<Result<std::vector<JobCount>>> JobStore::counts(std::vector<WorkspaceId> workspaces,
                                                                std::optional<UserId> owner) {
  auto read = [&](Tx& tx) -> Result<std::vector<JobCount>> {
    TY_TRY(const auto cells, counted_cells(tx, owner.value_or(UserId{})));
    std::vector<JobCount> counts;
    for (const auto& [cell, jobs] : cells) {
      if (!workspaces.empty() &&
          std::find(workspaces.begin(), workspaces.end(), cell.workspace) == workspaces.end()) {
        continue;
      }
      const auto same = [&cell = cell](const JobCount& count) {
        return count.workspace == cell.workspace && count.state == cell.state;
      };
      const auto found = std::find_if(counts.begin(), counts.end(), same);
      if (found != counts.end()) {
        found->jobs += jobs;
      } else {
        counts.push_back({.workspace = cell.workspace, .state = cell.state, .jobs = jobs});
      }
    }
    return counts;
  };
  co_return co_await db_.read(std::move(read));
}

}  // namespace ty::store
