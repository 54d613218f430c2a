#include <fmt/format.h>

#include "store/impl/job_filter.h"
#include "store/impl/job_pages.h"
#include "store/impl/job_rows.h"

namespace ty::store {

using model::JobPage;
using model::JobQuery;
using model::JobSort;

namespace {

/// A condition list and the values of its placeholders, which are called :p1, :p2…
class Conditions {
 public:
  std::string add(Param value) {
    params_.push_back(value);
    return fmt::format(":p{}", params_.size());
  }
  void where(std::string condition) { text_ += (text_.empty() ? "where " : " and ") + condition; }
  template <class List>
  void where_in(std::string_view column, const List& values) {
    std::string list;
    for (const auto& value : values) list += (list.empty() ? "" : ", ") + add(Param(value));
    where(fmt::format("{} in ({})", column, list));
  }
  const std::string& text() const { return text_; }
  const std::vector<Param>& params() const { return params_; }

 private:
  std::string text_;
  std::vector<Param> params_;
};

std::string like_pattern(std::string_view fragment) {
  std::string pattern = "%";
  for (const char c : fragment) {
    if (c == '%' || c == '_' || c == '\\') pattern += '\\';
    pattern += c;
  }
  return pattern + "%";
}

void add_filters(Conditions& conditions, const JobQuery& query, const std::string& pattern) {
  if (!query.workspaces.empty()) conditions.where_in("j.workspace_id", query.workspaces);
  if (!query.states.empty()) conditions.where_in("j.state", query.states);
  if (query.owner) conditions.where("j.owner_id = " + conditions.add(*query.owner));
  if (query.dialect) conditions.where("j.dialect = " + conditions.add(*query.dialect));
  if (query.created_from)
    conditions.where("j.created_at >= " + conditions.add(*query.created_from));
  if (query.created_to) conditions.where("j.created_at < " + conditions.add(*query.created_to));
  // The column compares bytes, so ilike folds the letters of ASCII only, as SQLite's side does.
  if (!query.name_part.empty()) conditions.where("j.name ilike " + conditions.add(pattern));
  if (query.label) {
    const auto& [key, value] = *query.label;
    std::string label = "exists (select 1 from job_labels l where l.job_seq = j.seq and l.key = " +
                        conditions.add(key);
    if (value) label += " and l.value = " + conditions.add(*value);
    conditions.where(label + ")");
  }
}

/// Adds jobs in this order to the page; true when it is full.
Result<bool> take(Tx& tx,
                  const JobQuery& query,
                  const Conditions& conditions,
                  std::string_view order,
                  JobPage& page) {
  Conditions all = conditions;
  const std::string sql =
      fmt::format("select {} from {} {} order by {} limit {}",
                  job_columns("u.name", "w.name"),
                  kJobTables,
                  all.text(),
                  order,
                  all.add(query.limit + 1 - static_cast<int>(page.jobs.size())));
  auto rows = tx.query_params(sql, all.params());
  while (rows.next()) {
    if (page.jobs.size() == static_cast<std::size_t>(query.limit)) {
      page.next_cursor = write_cursor(query, position_of(query, page.jobs.back()));
      return true;
    }
    TY_TRY(auto job, read_job(rows));
    page.jobs.push_back(std::move(job));
  }
  TY_DO(rows.status());
  return false;
}

}  // namespace

Result<JobPage> find_page_postgres(Tx& tx, const JobQuery& query) {
  TY_TRY(const auto after, read_cursor(query));
  const std::string pattern = like_pattern(query.name_part);
  Conditions conditions;
  add_filters(conditions, query, pattern);
  if (query.created_from || query.created_to) {
    TY_TRY(const CreatedRange created, created_range(tx, query));
    const std::string low = conditions.add(created.low);
    conditions.where(fmt::format("j.seq between {} and {}", low, conditions.add(created.high)));
  }
  JobPage page;
  switch (query.sort) {
    case JobSort::Newest:
      if (after) conditions.where("j.seq < " + conditions.add(after->tie));
      TY_DO(take(tx, query, conditions, "j.seq desc", page));
      break;
    case JobSort::Oldest:
      if (after) conditions.where("j.seq > " + conditions.add(after->tie));
      TY_DO(take(tx, query, conditions, "j.seq", page));
      break;
    case JobSort::Name: {
      const std::string_view tie = query.owner ? "j.handle_number" : "j.seq";
      if (after) {
        const std::string name = conditions.add(after->name);
        const std::string number = conditions.add(after->tie);
        conditions.where(fmt::format("(j.name, {}) > ({}, {})", tie, name, number));
      }
      TY_DO(take(tx, query, conditions, fmt::format("j.name, {}", tie), page));
      break;
    }
    case JobSort::Ended: {
      Conditions ended = conditions;
      if (!after || !after->ended_at) {
        conditions.where("j.ended_at is null");
        if (after) conditions.where("j.seq < " + conditions.add(after->tie));
        TY_TRY(const bool full, take(tx, query, conditions, "j.seq desc", page));
        if (full) return page;
      }
      ended.where("j.ended_at is not null");
      if (after && after->ended_at) {
        const std::string at = ended.add(*after->ended_at);
        ended.where(fmt::format("(j.ended_at, j.seq) < ({}, {})", at, ended.add(after->tie)));
      }
      TY_DO(take(tx, query, ended, "j.ended_at desc, j.seq desc", page));
      break;
    }
  }
  return page;
}

}  // namespace ty::store
