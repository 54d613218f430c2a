#include <algorithm>
#include <limits>

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

/// About ten milliseconds.
constexpr std::int64_t kBudget = 40'000;
constexpr std::int64_t kRowCost = 16;  ///< a whole row read and compared
constexpr std::int64_t kNameCost = 4;  ///< its name only
constexpr std::int64_t kSmallSet = 1'000;
/// Names are compared directly rather than searched when there are no more than this.
constexpr std::int64_t kFewNames = 500;
constexpr std::size_t kMostCells = 2'000;
constexpr std::int64_t kUnknown = std::numeric_limits<std::int64_t>::max();

class PageFinder {
 public:
  PageFinder(Tx& tx, const JobQuery& query) : tx_(tx), query_(query), filter_(query) {}

  Result<JobPage> find() {
    TY_TRY(after_, read_cursor(query_.sort, query_.cursor));
    TY_DO(set_range());
    TY_DO(set_cells());
    if (range_.empty() || (filter_.by_cell() && cells_.empty())) return JobPage{};
    switch (query_.sort) {
      case JobSort::Newest:
      case JobSort::Oldest:
        return by_seq();
      case JobSort::Name:
      case JobSort::Ended:
        break;
    }
    TY_TRY(auto small, small_set());
    if (small) return sorted_here(*std::move(small));
    return query_.sort == JobSort::Name ? along_names() : along_ends();
  }

 private:
  Tx& tx_;
  const JobQuery& query_;
  JobFilter filter_;
  Budget budget_{kBudget};
  std::optional<Position> after_;
  SeqRange range_;
  std::vector<CountedCell> cells_;
  std::int64_t in_cells_ = kUnknown;
  JobPage page_;

  int wanted() const { return query_.limit + 1; }

  // Where to look.

  /// The first seq whose job was created at or after `time`. Creation times grow with seq, so
  /// halving finds it.
  Result<std::int64_t> first_created_at_or_after(Time time) {
    TY_TRY(auto newest, tx_.value<std::int64_t>("select seq from jobs order by seq desc limit 1"));
    std::int64_t low = 1;
    std::int64_t high = newest.value_or(0) + 1;
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      auto rows = tx_.query(
          "select seq, created_at from jobs where seq >= :middle order by seq limit 1", middle);
      if (!rows.next()) {
        TY_DO(rows.status());
        high = middle;
      } else if (rows.get<Time>(1) >= time) {
        high = middle;
      } else {
        low = rows.integer(0) + 1;
      }
    }
    return low;
  }

  Result<void> set_range() {
    range_.down = query_.sort != JobSort::Oldest;
    if (query_.created_from || query_.created_to) {
      TY_TRY(auto jumped,
             tx_.value<std::int64_t>("select 1 from meta where name = 'clock_jumped_back'"));
      if (!jumped && query_.created_from) {
        TY_TRY(range_.low, first_created_at_or_after(*query_.created_from));
      }
      if (!jumped && query_.created_to) {
        TY_TRY(const std::int64_t end, first_created_at_or_after(*query_.created_to));
        range_.high = end - 1;
      }
    }
    if (after_ && query_.sort == JobSort::Newest)
      range_.high = std::min(range_.high, after_->seq - 1);
    if (after_ && query_.sort == JobSort::Oldest)
      range_.low = std::max(range_.low, after_->seq + 1);
    return {};
  }

  Result<void> set_cells() {
    if (!filter_.by_cell()) return {};
    TY_TRY(cells_, counted_cells(tx_, query_.owner.value_or(UserId{})));
    std::erase_if(cells_,
                  [this](const CountedCell& counted) { return !filter_.wants_cell(counted.cell); });
    in_cells_ = 0;
    for (const CountedCell& counted : cells_) in_cells_ += counted.jobs;
    return {};
  }

  std::int64_t in_range() const { return range_.high == INT64_MAX ? kUnknown : range_.size(); }

  /// How many jobs have the label, looking no further than `enough`.
  Result<std::int64_t> labelled(std::int64_t enough) {
    if (!query_.label) return kUnknown;
    const auto& [key, value] = *query_.label;
    TY_TRY(auto count,
           value ? tx_.value<std::int64_t>(
                       "select count(*) from (select 1 from job_labels indexed by job_labels_value "
                       "where key = :key and value = :value limit :enough)",
                       key,
                       *value,
                       enough)
                 : tx_.value<std::int64_t>(
                       "select count(*) from (select 1 from job_labels indexed by job_labels_key "
                       "where key = :key limit :enough)",
                       key,
                       enough));
    return *count < enough ? *count : kUnknown;
  }

  /// The smallest source, and what is known of its size.
  Result<std::pair<std::unique_ptr<SeqStream>, std::int64_t>> best_stream() {
    TY_TRY(const std::int64_t with_label,
           labelled(std::min<std::int64_t>(in_cells_, 4 * kSmallSet)));
    const std::int64_t smallest = std::min({in_cells_, with_label, in_range()});
    if (has_name_pieces(filter_.name_part()) && smallest > kFewNames) {
      TY_TRY(auto names, jobs_by_name(tx_, range_, wanted(), filter_, budget_));
      return std::pair(std::move(names), kUnknown);
    }
    const bool too_many_cells = cells_.size() > kMostCells && query_.limit > 0;
    if (query_.label && (with_label <= in_cells_ || too_many_cells)) {
      return std::pair(
          jobs_with_label(tx_, range_, wanted(), query_.label->first, query_.label->second),
          with_label);
    }
    if (filter_.by_cell() && !too_many_cells && in_cells_ <= in_range()) {
      return std::pair(jobs_of_cells(tx_, range_, wanted(), cells_), in_cells_);
    }
    return std::pair(all_jobs(tx_, range_, wanted()), in_range());
  }

  // What is taken.

  Result<bool> has_label(JobSeq seq) {
    if (!query_.label) return true;
    const auto& [key, value] = *query_.label;
    TY_TRY(auto found,
           tx_.value<std::string>(
               "select value from job_labels where job_seq = :job and key = :key", seq, key));
    return found && (!value || *found == *value);
  }

  /// The job, if it is one of those asked for.
  Result<std::optional<Job>> load_wanted(std::int64_t seq) {
    if (!filter_.name_part().empty()) {
      budget_.spend(kNameCost);
      TY_TRY(auto name, tx_.value<std::string>("select name from jobs where seq = :seq", seq));
      if (!name || !filter_.wants_name(*name)) return std::nullopt;
    }
    budget_.spend(kRowCost);
    TY_TRY(auto job, load_job(tx_, JobSeq{seq}));
    if (!job || !filter_.wants(*job)) return std::nullopt;
    TY_TRY(const bool labelled, has_label(job->seq));
    if (!labelled) return std::nullopt;
    return job;
  }

  /// True when the page is full: there is at least one more.
  bool add(Job job) {
    if (page_.jobs.size() == static_cast<std::size_t>(query_.limit)) {
      page_.next_cursor = write_cursor(query_.sort, position_of(query_.sort, page_.jobs.back()));
      return true;
    }
    page_.jobs.push_back(std::move(job));
    return false;
  }

  void stop_at(const Position& position) {
    page_.next_cursor = write_cursor(query_.sort, position);
  }

  // How it is put together.

  Result<JobPage> by_seq() {
    TY_TRY(auto best, best_stream());
    SeqStream& stream = *best.first;
    for (;;) {
      TY_TRY(auto seq, stream.next());
      if (!seq) {
        if (const auto stopped = stream.stopped_at()) stop_at({.seq = *stopped});
        return std::move(page_);
      }
      TY_TRY(auto job, load_wanted(*seq));
      if (job && add(*std::move(job))) return std::move(page_);
      if (budget_.spent()) {
        stop_at({.seq = *seq});
        return std::move(page_);
      }
    }
  }

  /// Every candidate, when a source is known to be small.
  Result<std::optional<std::vector<std::int64_t>>> small_set() {
    std::vector<std::int64_t> all;
    TY_TRY(auto best, best_stream());
    // A search by name tells its size only by being read.
    if (best.second > kSmallSet && !has_name_pieces(filter_.name_part())) return std::nullopt;
    for (;;) {
      TY_TRY(auto seq, best.first->next());
      if (!seq) break;
      if (all.size() == kSmallSet) return std::nullopt;
      all.push_back(*seq);
    }
    if (best.first->stopped_at()) return std::nullopt;
    return all;
  }

  Result<JobPage> sorted_here(std::vector<std::int64_t> seqs) {
    std::vector<std::pair<Position, Job>> jobs;
    for (const std::int64_t seq : seqs) {
      TY_TRY(auto job, load_wanted(seq));
      if (!job) continue;
      Position position = position_of(query_.sort, *job);
      if (after_ && !is_after(query_.sort, *after_, position)) continue;
      jobs.emplace_back(std::move(position), *std::move(job));
    }
    std::sort(jobs.begin(), jobs.end(), [this](const auto& a, const auto& b) {
      return is_after(query_.sort, a.first, b.first);
    });
    for (auto& [position, job] : jobs) {
      if (add(std::move(job))) break;
    }
    return std::move(page_);
  }

  bool in_range(std::int64_t seq) const { return seq >= range_.low && seq <= range_.high; }

  Result<JobPage> along_names() {
    auto rows = tx_.query(
        "select seq, name, owner_id, workspace_id, dialect from jobs indexed by jobs_name "
        "where (name, seq) > (:name, :seq) order by name, seq",
        after_ ? after_->name : std::string(),
        after_ ? after_->seq : 0);
    while (rows.next()) {
      budget_.spend(1);
      const std::int64_t seq = rows.integer(0);
      const bool maybe = in_range(seq) && filter_.wants_owner(rows.get<UserId>(2)) &&
                         filter_.wants_workspace(rows.get<WorkspaceId>(3)) &&
                         filter_.wants_dialect(rows.get<model::Dialect>(4)) &&
                         filter_.wants_name(rows.text(1));
      if (maybe) {
        TY_TRY(auto job, load_wanted(seq));
        if (job && add(*std::move(job))) return std::move(page_);
      }
      if (budget_.spent()) {
        stop_at({.seq = seq, .name = rows.get<std::string>(1)});
        return std::move(page_);
      }
    }
    TY_DO(rows.status());
    return std::move(page_);
  }

  Result<JobPage> along_ends() {
    if (!after_ || !after_->ended_at) {
      TY_TRY(const bool full, take_unended());
      if (full) return std::move(page_);
    }
    auto rows = tx_.query(
        "select seq, ended_at, owner_id, workspace_id, dialect, state from jobs indexed by "
        "jobs_ended "
        "where ended_at is not null and (ended_at, seq) < (:ended_at, :seq) order by ended_at "
        "desc, seq desc",
        after_ && after_->ended_at ? *after_->ended_at : INT64_MAX,
        after_ && after_->ended_at ? after_->seq : INT64_MAX);
    while (rows.next()) {
      budget_.spend(1);
      const std::int64_t seq = rows.integer(0);
      const bool maybe = in_range(seq) && filter_.wants_owner(rows.get<UserId>(2)) &&
                         filter_.wants_workspace(rows.get<WorkspaceId>(3)) &&
                         filter_.wants_dialect(rows.get<model::Dialect>(4)) &&
                         filter_.wants_state(rows.get<model::JobState>(5));
      if (maybe) {
        TY_TRY(auto job, load_wanted(seq));
        if (job && add(*std::move(job))) return std::move(page_);
      }
      if (budget_.spent()) {
        stop_at({.seq = seq, .ended_at = rows.integer(1)});
        return std::move(page_);
      }
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
    SeqRange range = range_;
    if (after_) range.high = std::min(range.high, after_->seq - 1);
    const auto stream = jobs_of_cells(tx_, range, wanted(), cells);
    for (;;) {
      TY_TRY(auto seq, stream->next());
      if (!seq) return false;
      TY_TRY(auto job, load_wanted(*seq));
      if (job && add(*std::move(job))) return true;
      if (budget_.spent()) {
        stop_at({.seq = *seq});
        return true;
      }
    }
  }
};

}  // namespace

Result<JobPage> find_page_sqlite(Tx& tx, const JobQuery& query) {
  return PageFinder(tx, query).find();
}

}  // namespace ty::store
