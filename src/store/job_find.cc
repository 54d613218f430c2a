#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "store/impl/compress.h"
#include "store/impl/handles.h"
#include "store/impl/job_counts.h"
#include "store/impl/job_rows.h"
#include "store/job_store.h"
#include "store/messages.h"

namespace ty::store {

namespace asio = boost::asio;
using model::Job;

namespace {

constexpr std::size_t kShortestPrefix = 4;
constexpr std::size_t kNamedMatches = 5;
constexpr std::size_t kJobsAtOnce = 100;

std::unexpected<Error> no_job(std::string_view which) {
  return fail(Errc::NotFound, say::no_such_job({.name = which}));
}

Result<Job> find_full(Tx& tx, JobSeq seq, std::string_view called) {
  TY_TRY(auto jobs, load_jobs_with_tasks(tx, std::span(&seq, 1)));
  if (jobs.empty()) return no_job(called);
  return std::move(jobs.front());
}

/// The smallest text that no text with this prefix reaches.
std::string after_prefix(std::string prefix) {
  prefix.back() = static_cast<char>(prefix.back() + 1);
  return prefix;
}

Result<Job> find_prefix(Tx& tx, const std::string& prefix, const VisibleJobs& visible) {
  auto rows = tx.query(
      "select seq, id, name, owner_id, workspace_id from jobs "
      "where id >= :prefix and id < :end order by id",
      prefix,
      after_prefix(prefix));
  std::vector<std::pair<JobSeq, std::string>> found;
  // Others' jobs are not there: neither named nor in the way of the one that is meant.
  while (found.size() <= kNamedMatches && rows.next()) {
    if (visible.has(rows.get<UserId>(3), rows.get<WorkspaceId>(4)))
      found.emplace_back(rows.get<JobSeq>(0), fmt::format("{} ({})", rows.text(1), rows.text(2)));
  }
  TY_DO(rows.status());
  if (found.empty()) return no_job(prefix);
  if (found.size() == 1) return find_full(tx, found.front().first, prefix);
  Value::Texts jobs;
  for (std::size_t i = 0; i < found.size() && i < kNamedMatches; ++i)
    jobs.push_back(found[i].second);
  if (found.size() > kNamedMatches) jobs.push_back("…");
  return fail(Errc::Conflict,
              say::several_jobs_begin_with({.prefix = prefix, .jobs = std::move(jobs)}));
}

std::unexpected<Error> damaged() { return fail(Errc::Internal, say::stored_file_damaged()); }

Result<PackedSpec> load_packed(Tx& tx, JobSeq seq) {
  auto rows = tx.query("select original_size, body from job_files where job_seq = :job", seq);
  if (!rows.next()) {
    TY_DO(rows.status());
    return fail(Errc::NotFound, say::job_is_gone());
  }
  return PackedSpec{.body = std::make_shared<const std::string>(rows.blob(1)),
                    .original_size = static_cast<std::size_t>(rows.integer(0))};
}

Result<Original> load_original(Tx& tx, JobSeq seq) {
  auto rows = tx.query(
      "select media_type, sha256, secret_ranges, original_size, body from job_files where job_seq "
      "= :job",
      seq);
  if (!rows.next()) {
    TY_DO(rows.status());
    return fail(Errc::NotFound, say::job_is_gone());
  }
  TY_TRY(std::string body, decompress(rows.blob(4)));
  const auto original_size = static_cast<std::size_t>(rows.integer(3));
  if (original_size > body.size()) return damaged();
  body.resize(original_size);
  Original original{.media_type = rows.get<std::string>(0),
                    .bytes = std::move(body),
                    .sha256 = rows.get<std::string>(1)};
  const std::string_view ranges = rows.text(2);
  for (const char* at = ranges.data(); at < ranges.data() + ranges.size(); ++at) {
    std::int64_t offset = 0;
    std::int64_t length = 0;
    at = std::from_chars(at, ranges.data() + ranges.size(), offset).ptr;
    at = std::from_chars(at + 1, ranges.data() + ranges.size(), length).ptr;
    original.secret_ranges.emplace_back(offset, length);
  }
  return original;
}

Result<std::vector<JobSeq>> unended(Tx& tx) {
  std::vector<JobSeq> seqs;
  TY_TRY(const auto cells, counted_cells(tx, UserId{}));
  for (const auto& [cell, jobs] : cells) {
    if (model::is_final(cell.state)) continue;
    auto rows = tx.query(
        "select seq from jobs where workspace_id = :workspace and dialect = :dialect and state = "
        ":state",
        cell.workspace,
        cell.dialect,
        cell.state);
    while (rows.next()) seqs.push_back(rows.get<JobSeq>(0));
    TY_DO(rows.status());
  }
  std::sort(seqs.begin(), seqs.end());
  return seqs;
}

}  // namespace

Result<std::string> PackedSpec::json() const {
  TY_TRY(std::string text, decompress(*body));
  if (original_size > text.size()) return damaged();
  text.erase(0, original_size);
  return text;
}

asio::awaitable<Result<Job>> JobStore::find(JobId id) {
  auto read = [&id](Tx& tx) -> Result<Job> {
    TY_TRY(auto seq, tx.value<JobSeq>("select seq from jobs where id = :id", id));
    if (!seq) return no_job(id.str());
    return find_full(tx, *seq, id.str());
  };
  co_return co_await db_.read(std::move(read));
}

asio::awaitable<Result<Job>> JobStore::find(JobSeq seq) {
  auto read = [seq](Tx& tx) { return find_full(tx, seq, "of this number"); };
  co_return co_await db_.read(std::move(read));
}

asio::awaitable<Result<Job>> JobStore::find_by_handle(UserId owner, std::string handle) {
  auto read = [owner, &handle](Tx& tx) -> Result<Job> {
    TY_TRY(auto seq, find_handle(tx, owner, handle));
    if (!seq) return no_job("called " + handle);
    return find_full(tx, *seq, handle);
  };
  co_return co_await db_.read(std::move(read));
}

asio::awaitable<Result<Job>> JobStore::find_by_prefix(std::string prefix, VisibleJobs visible) {
  if (prefix.size() < kShortestPrefix) {
    co_return fail(Errc::Invalid,
                   say::job_id_too_short({.prefix = prefix, .least = kShortestPrefix}));
  }
  auto read = [&](Tx& tx) { return find_prefix(tx, prefix, visible); };
  co_return co_await db_.read(std::move(read));
}

asio::awaitable<Result<std::string>> JobStore::spec(JobSeq seq) {
  TY_CO_TRY(const PackedSpec packed, co_await packed_spec(seq));
  co_return packed.json();
}

asio::awaitable<Result<PackedSpec>> JobStore::packed_spec(JobSeq seq) {
  auto read = [seq](Tx& tx) { return load_packed(tx, seq); };
  co_return co_await db_.read(std::move(read));
}

asio::awaitable<Result<Original>> JobStore::original(JobSeq seq) {
  auto read = [seq](Tx& tx) { return load_original(tx, seq); };
  co_return co_await db_.read(std::move(read));
}

asio::awaitable<Result<model::TextMap>> JobStore::labels(JobSeq seq) {
  auto read = [seq](Tx& tx) -> Result<model::TextMap> {
    model::TextMap labels;
    auto rows = tx.query("select key, value from job_labels where job_seq = :job", seq);
    while (rows.next()) labels.emplace(rows.text(0), rows.text(1));
    TY_DO(rows.status());
    return labels;
  };
  co_return co_await db_.read(std::move(read));
}

Result<void> JobStore::active(const std::function<Result<void>(Job)>& each) {
  auto read = [&each](Tx& tx) -> Result<void> {
    TY_TRY(const auto seqs, unended(tx));
    std::span<const JobSeq> left(seqs);
    while (!left.empty()) {
      const std::size_t count = std::min(left.size(), kJobsAtOnce);
      TY_TRY(auto jobs, load_jobs_with_tasks(tx, left.first(count)));
      for (Job& job : jobs) TY_DO(each(std::move(job)));
      left = left.subspan(count);
    }
    return {};
  };
  return db_.read_now(std::move(read));
}

Result<void> JobStore::moves(const std::function<void(JobSeq, std::string)>& each) {
  auto read = [&each](Tx& tx) -> Result<void> {
    auto rows = tx.query(
        "select e.job_seq, e.data from events e join jobs j on j.seq = e.job_seq "
        "where e.kind = 'job.moved' and j.ended_at is null and e.at >= j.queued_at order by e.id");
    while (rows.next()) each(rows.get<JobSeq>(0), rows.get<std::string>(1));
    return rows.status();
  };
  return db_.read_now(std::move(read));
}

asio::awaitable<Result<std::vector<model::EndedTry>>> JobStore::task_history(JobSeq seq) {
  auto read = [seq](Tx& tx) -> Result<std::vector<model::EndedTry>> {
    static const std::string sql =
        fmt::format("select {} from tasks where job_seq = :job order by attempt, role, task, tries",
                    kTaskColumns);
    std::vector<model::EndedTry> tries;
    auto rows = tx.query(sql, seq);
    while (rows.next()) {
      TY_TRY(auto row, read_task(rows));
      tries.push_back(std::move(row));
    }
    TY_DO(rows.status());
    return tries;
  };
  co_return co_await db_.read(std::move(read));
}

asio::awaitable<Result<std::vector<Attempt>>> JobStore::attempts(JobSeq seq) {
  auto read = [seq](Tx& tx) -> Result<std::vector<Attempt>> {
    std::vector<Attempt> attempts;
    for (const char* sql :
         {"select attempt, queued_at, placed_at, started_at, decided_at, ended_at, decision "
          "from attempts where job_seq = :job order by attempt",
          "select attempt, queued_at, placed_at, started_at, decided_at, ended_at, decision "
          "from jobs where seq = :job"}) {
      auto rows = tx.query(sql, seq);
      while (rows.next()) {
        Attempt attempt{.attempt = rows.get<int>(0),
                        .queued_at = rows.get<Time>(1),
                        .placed_at = rows.get<std::optional<Time>>(2),
                        .started_at = rows.get<std::optional<Time>>(3),
                        .decided_at = rows.get<std::optional<Time>>(4),
                        .ended_at = rows.get<std::optional<Time>>(5)};
        // Until the present attempt is decided, the row still shows how the last one was.
        if (attempt.decided_at) {
          TY_TRY(attempt.decision, read_decision(rows, 6));
        }
        attempts.push_back(std::move(attempt));
      }
      TY_DO(rows.status());
    }
    if (attempts.empty()) return no_job("of this number");
    return attempts;
  };
  co_return co_await db_.read(std::move(read));
}

}  // namespace ty::store
