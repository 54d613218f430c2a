#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "store/impl/handles.h"
#include "store/impl/job_filter.h"
#include "store/impl/job_pages.h"
#include "store/impl/job_rows.h"
#include "store/impl/seq_streams.h"

namespace ty::store {

using model::Job;
using model::JobPage;
using model::JobQuery;
using model::JobSort;

namespace {

/// What a page may read: about five milliseconds' worth.
constexpr std::int64_t kBudget = 20'000;
constexpr std::int64_t kRowCost = 4;  ///< a row read by its number, in index entries
/// So many jobs are sorted here rather than read along an index with most of its entries unwanted.
constexpr std::int64_t kSmallSet = 1'000;
/// So many names are rather compared than searched.
constexpr std::int64_t kFewNames = 100;
constexpr std::size_t kMostCells = 2'000;  ///< to be merged
constexpr std::int64_t kUnknown = std::numeric_limits<std::int64_t>::max();

class PageFinder {
 public:
  PageFinder(Tx& tx, const JobQuery& query) : tx_(tx), query_(query), filter_(query) {}

  Result<JobPage> find() {
    TY_TRY(after_, read_cursor(query_));
    TY_DO(set_range());
    TY_DO(set_cells());
    if (range_.empty() || (filter_.by_cell() && cells_.empty())) return JobPage{};
    switch (query_.sort) {
      case JobSort::Newest:
      case JobSort::Oldest: {
        TY_TRY(auto source, best_source(budget_));
        return by_seq(*source.stream);
      }
      case JobSort::Name:
      case JobSort::Ended:
        break;
    }
    TY_TRY(auto small, small_set());
    if (small) return sorted_here(*std::move(small));
    if (query_.sort == JobSort::Ended) return along_ends();
    return query_.owner ? along_handles() : along_names();
  }

 private:
  struct Source {
    std::unique_ptr<SeqStream> stream;
    std::int64_t size = kUnknown;  ///< about so many
  };
  struct Candidate {
    Position position;
    std::int64_t seq = 0;
  };

  Tx& tx_;
  const JobQuery& query_;
  JobFilter filter_;
  Budget budget_{kBudget};
  std::optional<Position> after_;
  SeqRange range_;
  std::vector<CountedCell> cells_;
  std::int64_t in_cells_ = kUnknown;
  JobPage page_;
  std::unordered_map<std::int64_t, std::string> owner_names_, workspace_names_;

  int wanted() const { return query_.limit + 1; }
  bool in_range(std::int64_t seq) const { return seq >= range_.low && seq <= range_.high; }
  Reading reading(Budget& budget) { return {tx_, range_, wanted(), filter_, budget}; }

  // Where to look.

  Result<void> set_range() {
    range_.down = query_.sort != JobSort::Oldest;
    TY_TRY(const CreatedRange created, created_range(tx_, query_));
    range_.low = created.low;
    range_.high = created.high;
    if (after_ && query_.sort == JobSort::Newest) {
      range_.high = std::min(range_.high, after_->tie - 1);
    }
    if (after_ && query_.sort == JobSort::Oldest) {
      range_.low = std::max(range_.low, after_->tie + 1);
    }
    return {};
  }

  Result<void> set_cells() {
    if (!filter_.by_cell()) return {};
    TY_TRY(cells_, counted_cells(tx_, query_.owner.value_or(UserId{})));
    std::erase_if(cells_, [this](const CountedCell& c) { return !filter_.wants_cell(c.cell); });
    in_cells_ = 0;
    for (const CountedCell& counted : cells_) in_cells_ += counted.jobs;
    return {};
  }

  /// The source that is likely to offer the fewest unwanted jobs.
  Result<Source> best_source(Budget& budget) {
    const Reading where = reading(budget);
    const std::int64_t in_range = range_.high == INT64_MAX ? kUnknown : range_.size();
    const std::int64_t in_cells = cells_.size() <= kMostCells ? in_cells_ : kUnknown;
    std::int64_t labelled = kUnknown;
    if (query_.label) {
      TY_TRY(labelled, estimate_labelled(where));
    }
    const std::int64_t smallest = std::min({in_range, in_cells, labelled});
    if (NameSearch::can_find(filter_.name_part()) && smallest > kFewNames) {
      TY_TRY(const NameSearch search, NameSearch::prepare(where));
      if (search.estimate() < smallest) return Source{search.stream(where), search.estimate()};
    }
    if (smallest == labelled && query_.label) return Source{jobs_with_label(where), labelled};
    if (smallest == in_range) return Source{all_jobs(where), in_range};
    if (query_.owner) return Source{jobs_of_owner(where, *query_.owner, cells_), in_cells};
    return Source{jobs_of_cells(where, cells_), in_cells};
  }

  // What is taken.

  bool fits(const Rows& row) const {
    using namespace job_column;
    const Time created_at = row.get<Time>(kCreatedAt);
    return filter_.wants_state(row.get<model::JobState>(kState)) &&
           filter_.wants_owner(row.get<UserId>(kOwner)) &&
           filter_.wants_workspace(row.get<WorkspaceId>(kWorkspace)) &&
           filter_.wants_dialect(row.get<model::Dialect>(kDialect)) &&
           (!query_.created_from || created_at >= *query_.created_from) &&
           (!query_.created_to || created_at < *query_.created_to) &&
           filter_.wants_name(row.text(kName));
  }

  Result<bool> has_label(std::int64_t seq) {
    if (!query_.label) return true;
    const auto& [key, value] = *query_.label;
    auto rows =
        tx_.query("select value from job_labels where job_seq = :job and key = :key", seq, key);
    const bool has = rows.next() && (!value || rows.text(0) == *value);
    TY_DO(rows.status());
    return has;
  }

  /// The job's row for `look`, if it is one of those asked for.
  template <class Look>
  Result<bool> look_at(std::int64_t seq, const Look& look) {
    static const std::string sql =
        fmt::format("select {} from jobs j where j.seq = :seq", job_columns("''", "''"));
    budget_.spend(kRowCost);
    auto rows = tx_.query(sql, seq);
    if (!rows.next()) {
      TY_DO(rows.status());
      return false;
    }
    if (!fits(rows)) return false;
    TY_TRY(const bool labelled, has_label(seq));
    if (!labelled) return false;
    TY_DO(look(rows));
    return true;
  }

  Result<std::string> cached_name(std::unordered_map<std::int64_t, std::string>& names,
                                  const char* sql,
                                  std::int64_t id) {
    const auto found = names.find(id);
    if (found != names.end()) return found->second;
    TY_TRY(auto name, tx_.value<std::string>(sql, id));
    return names.emplace(id, name.value_or("")).first->second;
  }

  Result<std::optional<Job>> load_wanted(std::int64_t seq) {
    std::optional<Job> job;
    const auto look = [&](const Rows& row) -> Result<void> {
      TY_TRY(job, read_job(row));
      return {};
    };
    TY_TRY(const bool found, look_at(seq, look));
    if (!found) return std::nullopt;
    TY_TRY(job->owner_name,
           cached_name(owner_names_, "select name from users where id = :id", job->owner.value));
    TY_TRY(
        job->workspace_name,
        cached_name(
            workspace_names_, "select name from workspaces where id = :id", job->workspace.value));
    return job;
  }

  /// True when the page is full: there is at least one more.
  bool add(Job job) {
    if (page_.jobs.size() == static_cast<std::size_t>(query_.limit)) {
      stop_at(position_of(query_, page_.jobs.back()));
      return true;
    }
    page_.jobs.push_back(std::move(job));
    return false;
  }

  /// Takes the job if it is wanted. True when the page ends here.
  Result<bool> take(std::int64_t seq, const Position& here) {
    TY_TRY(auto job, load_wanted(seq));
    if (job && add(*std::move(job))) return true;
    if (!budget_.spent()) return false;
    stop_at(here);
    return true;
  }

  void stop_at(const Position& position) { page_.next_cursor = write_cursor(query_, position); }

  // How it is put together.

  Result<JobPage> by_seq(SeqStream& stream) {
    for (;;) {
      TY_TRY(auto seq, stream.next());
      if (!seq) return std::move(page_);
      TY_TRY(const bool ends, take(*seq, {.tie = *seq}));
      if (ends) return std::move(page_);
    }
  }

  /// Every candidate, when a source is known to be small.
  Result<std::optional<std::vector<std::int64_t>>> small_set() {
    // Its own budget: what is spent on finding out must not shorten the page.
    Budget budget(kBudget);
    TY_TRY(auto source, best_source(budget));
    if (source.size > kSmallSet) return std::nullopt;
    std::vector<std::int64_t> all;
    for (;;) {
      TY_TRY(auto seq, source.stream->next());
      if (!seq) return all;
      if (all.size() == kSmallSet || budget.spent()) return std::nullopt;
      all.push_back(*seq);
    }
  }

  Position read_position(std::int64_t seq, const Rows& row) const {
    using namespace job_column;
    Position position{.tie = seq};
    if (query_.sort == JobSort::Name) {
      position.name = row.text(kName);
      if (query_.owner) position.tie = handle_number(row.text(kHandle), position.name);
    } else {
      position.ended_at = row.get<std::optional<std::int64_t>>(kEndedAt);
    }
    return position;
  }

  Result<JobPage> sorted_here(std::vector<std::int64_t> seqs) {
    std::vector<Candidate> candidates;
    for (const std::int64_t seq : seqs) {
      const auto look = [&](const Rows& row) -> Result<void> {
        Position position = read_position(seq, row);
        if (after_ && !is_after(query_, *after_, position)) return {};
        candidates.push_back({std::move(position), seq});
        return {};
      };
      TY_DO(look_at(seq, look));
    }
    const auto kept = std::min(candidates.size(), static_cast<std::size_t>(wanted()));
    std::partial_sort(candidates.begin(),
                      candidates.begin() + static_cast<std::ptrdiff_t>(kept),
                      candidates.end(),
                      [this](const Candidate& a, const Candidate& b) {
                        return is_after(query_, a.position, b.position);
                      });
    for (std::size_t i = 0; i < kept; ++i) {
      TY_TRY(auto job, load_wanted(candidates[i].seq));
      if (job && add(*std::move(job))) break;
    }
    return std::move(page_);
  }

  Result<JobPage> along_names() {
    auto rows = tx_.query(
        "select seq, name, owner_id, workspace_id, dialect from jobs indexed by jobs_name "
        "where (name, seq) > (:name, :seq) order by name, seq",
        after_ ? after_->name : std::string(),
        after_ ? after_->tie : 0);
    while (rows.next()) {
      budget_.spend(1);
      const std::int64_t seq = rows.integer(0);
      const bool maybe = in_range(seq) && filter_.wants_workspace(rows.get<WorkspaceId>(3)) &&
                         filter_.wants_dialect(rows.get<model::Dialect>(4)) &&
                         filter_.wants_name(rows.text(1));
      if (!maybe && !budget_.spent()) continue;
      TY_TRY(const bool ends, take(seq, {.tie = seq, .name = rows.get<std::string>(1)}));
      if (ends) return std::move(page_);
    }
    TY_DO(rows.status());
    return std::move(page_);
  }

  Result<JobPage> along_handles() {
    auto rows = tx_.query(
        "select seq, name, handle_number from jobs indexed by jobs_handle "
        "where owner_id = :owner and (name, handle_number) > (:name, :number) "
        "order by name, handle_number",
        *query_.owner,
        after_ ? after_->name : std::string(),
        after_ ? after_->tie : 0);
    while (rows.next()) {
      budget_.spend(1);
      const std::int64_t seq = rows.integer(0);
      const bool maybe = in_range(seq) && filter_.wants_name(rows.text(1));
      if (!maybe && !budget_.spent()) continue;
      TY_TRY(const bool ends,
             take(seq, {.tie = rows.integer(2), .name = rows.get<std::string>(1)}));
      if (ends) return std::move(page_);
    }
    TY_DO(rows.status());
    return std::move(page_);
  }

  Result<JobPage> along_ends() {
    if (!after_ || !after_->ended_at) {
      TY_TRY(const bool ends, take_unended());
      if (ends) return std::move(page_);
    }
    auto rows = tx_.query(
        "select seq, ended_at, owner_id, workspace_id, dialect, state from jobs "
        "indexed by jobs_ended where ended_at is not null and (ended_at, seq) < (:ended_at, :seq) "
        "order by ended_at desc, seq desc",
        after_ && after_->ended_at ? *after_->ended_at : INT64_MAX,
        after_ && after_->ended_at ? after_->tie : INT64_MAX);
    while (rows.next()) {
      budget_.spend(1);
      const std::int64_t seq = rows.integer(0);
      const bool maybe = in_range(seq) && filter_.wants_owner(rows.get<UserId>(2)) &&
                         filter_.wants_workspace(rows.get<WorkspaceId>(3)) &&
                         filter_.wants_dialect(rows.get<model::Dialect>(4)) &&
                         filter_.wants_state(rows.get<model::JobState>(5));
      if (!maybe && !budget_.spent()) continue;
      TY_TRY(const bool ends, take(seq, {.tie = seq, .ended_at = rows.integer(1)}));
      if (ends) return std::move(page_);
    }
    TY_DO(rows.status());
    return std::move(page_);
  }

  /// Jobs that have not ended come first, newest first. True: the page ends among them.
  Result<bool> take_unended() {
    TY_TRY(auto cells, counted_cells(tx_, query_.owner.value_or(UserId{})));
    std::erase_if(cells, [this](const CountedCell& counted) {
      return model::is_final(counted.cell.state) || !filter_.wants_cell(counted.cell);
    });
    if (cells.empty()) return false;
    Reading unended = reading(budget_);
    if (after_) unended.range.high = std::min(unended.range.high, after_->tie - 1);
    const auto stream =
        query_.owner ? jobs_of_owner(unended, *query_.owner, cells) : jobs_of_cells(unended, cells);
    for (;;) {
      TY_TRY(auto seq, stream->next());
      if (!seq) return false;
      TY_TRY(const bool ends, take(*seq, {.tie = *seq}));
      if (ends) return true;
    }
  }
};

}  // namespace

Result<JobPage> find_page_sqlite(Tx& tx, const JobQuery& query) {
  return PageFinder(tx, query).find();
}

}  // namespace ty::store
