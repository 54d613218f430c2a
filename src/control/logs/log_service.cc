#include "control/logs/log_service.h"

#include <algorithm>
#include <boost/asio/this_coro.hpp>

#include "control/event_hub.h"
#include "control/jobs/job_finder.h"
#include "control/logs/job_logs.h"
#include "control/logs/log_text.h"
#include "control/messages.h"
#include "control/task_board.h"
#include "model/spec_json.h"
#include "rt/blocking_pool.h"
#include "store/job_store.h"
#include "telemetry/log_follow.h"
#include "telemetry/log_search.h"

namespace ty::control {

namespace asio = boost::asio;
using TextPtr = std::unique_ptr<LogText>;

namespace {

Result<void> check(const LogQuery& query) {
  const int parts =
      int{query.tail.has_value()} + int{query.lines.has_value()} + int{query.bytes.has_value()};
  if (parts > 1) return fail(Errc::Invalid, say::one_part_of_a_log());
  if (query.follow && (query.lines || query.bytes || query.until)) {
    return fail(Errc::Invalid, say::follow_reads_to_the_end());
  }
  if (query.lines && (query.lines->first < 1 || query.lines->second < query.lines->first)) {
    return fail(Errc::Invalid, say::lines_count_from_one());
  }
  return {};
}

Result<telemetry::ByteRange> part_of(telemetry::LogReader& reader, const LogQuery& query) {
  telemetry::ByteRange range = reader.whole();
  if (query.since || query.until) {
    TY_TRY(range, reader.between(query.since, query.until));
  }
  if (query.lines) return reader.lines(query.lines->first, query.lines->second);
  if (query.bytes) return reader.bytes({.begin = query.bytes->first, .end = query.bytes->second});
  if (query.tail) return reader.last_lines(*query.tail, range);
  return range;
}

}  // namespace

namespace {

/// Opens texts for one request; lives as long as the request does.
class Opener {
 public:
  Opener(LogService::Parts parts, JobLogs logs, LogQuery query)
      : p_(std::move(parts)), logs_(std::move(logs)), query_(std::move(query)) {}

  asio::awaitable<Result<TextPtr>> open() {
    TY_CO_DO(check(query_));
    const int attempt = query_.attempt.value_or(logs_.job.life.attempt);
    const bool merged = query_.merged || (query_.task.empty() && logs_.job.tasks_total > 1);
    if (merged && (query_.lines || query_.bytes)) {
      co_return fail(Errc::Invalid, say::parts_of_one_log());
    }
    model::TaskRef task;
    if (!merged && !query_.task.empty()) {
      TY_CO_TRY(task, logs_.find_task(query_.task));
    }
    Result<TextPtr> text;
    if (merged && query_.follow) {
      text = co_await follow_merged(attempt);
    } else {
      // Finding a part may mean reading a long stretch of a log.
      auto find = [&]() -> Result<TextPtr> {
        TY_DO(check_kept(merged ? std::nullopt : std::optional(task), attempt));
        if (merged) return merge(attempt);
        return query_.follow ? follow(task, attempt) : read(task, attempt);
      };
      text = co_await p_.pool.run(std::move(find));
    }
    if (!text || query_.grep.empty()) co_return text;
    const telemetry::LinePattern pattern{.text = query_.grep, .ignore_case = query_.ignore_case};
    TY_CO_TRY(telemetry::LineMatcher matcher, telemetry::LineMatcher::compile(pattern));
    co_return std::make_unique<FilteredText>(*std::move(text), std::move(matcher), p_.pool);
  }

 private:
  std::vector<model::TaskKey> tries_of(std::optional<model::TaskRef> task, int attempt) const {
    std::vector<model::TaskKey> keys;
    for (const model::TaskKey& key : logs_.tries) {
      if (key.attempt == attempt && (!task || key.task == *task)) keys.push_back(key);
    }
    return keys;
  }

  /// Logs do not stay for ever; an empty text would say that the task was silent.
  Result<void> check_kept(std::optional<model::TaskRef> task, int attempt) const {
    std::string deleted;
    for (const model::TaskKey& key : tries_of(task, attempt)) {
      if (!logs_.over.contains(key) || p_.records->log(key).open()) return {};
      deleted = logs_.label(key.task);
    }
    if (deleted.empty()) return {};
    return fail(Errc::NotFound, say::log_deleted({.task = deleted}));
  }

  bool wants_part() const {
    return query_.tail || query_.lines || query_.bytes || query_.since || query_.until;
  }

  Result<TextPtr> read(model::TaskRef task, int attempt) const {
    std::vector<model::TaskKey> keys = tries_of(task, attempt);
    if (wants_part() && keys.size() > 1) keys.erase(keys.begin(), keys.end() - 1);
    std::vector<TextPtr> parts;
    for (const model::TaskKey& key : keys) {
      Result<telemetry::LogReader> reader = p_.records->log(key).open();
      if (!reader && reader.error().code == Errc::NotFound) continue;
      if (!reader) return std::unexpected(std::move(reader).error());
      TY_TRY(const telemetry::ByteRange range, part_of(*reader, query_));
      parts.push_back(std::make_unique<RangeText>(*std::move(reader), range));
    }
    if (parts.size() == 1) return std::move(parts.front());
    return std::make_unique<ChainText>(std::move(parts));
  }

  Result<TextPtr> follow(model::TaskRef task, int attempt) const {
    const std::vector<model::TaskKey> keys = tries_of(task, attempt);
    std::optional<model::TaskKey> first;
    std::uint64_t from = 0;
    if (!keys.empty()) {
      first = wants_part() ? keys.back() : keys.front();
      if (auto reader = p_.records->log(*first).open(); reader && wants_part()) {
        TY_TRY(const telemetry::ByteRange range, part_of(*reader, query_));
        from = range.begin;
      }
    }
    auto next_try =
        [board = &p_.board, job = logs_.job.id, known = keys, task, attempt, only = query_.attempt](
            const std::optional<model::TaskKey>& last) -> FollowText::Next {
      const std::optional<TaskBoard::JobTries> now = board->find(job);
      std::vector<model::TaskKey> all = known;
      if (now) {
        for (const TaskBoard::Try& one : now->tries) all.push_back(one.key);
      }
      for (const model::TaskKey& key : all) {
        const bool later =
            !last || std::pair(key.attempt, key.tries) > std::pair(last->attempt, last->tries);
        const bool wanted =
            key.task == task && key.attempt >= attempt && (!only || key.attempt == *only);
        if (later && wanted) return {.key = key};
      }
      return {.none = !now || now->closed};
    };
    FollowText::Parts parts{
        .next_try = std::move(next_try),
        .records = p_.records,
        .has_ended = [board =
                          &p_.board](const model::TaskKey& key) { return board->has_ended(key); },
        .hub = p_.hub,
        .watcher = p_.watcher};
    return std::make_unique<FollowText>(std::move(parts), std::move(first), from);
  }

  telemetry::MergeOptions merge_options() const {
    return {.since = query_.since, .until = query_.until, .last_lines = query_.tail};
  }

  Result<TextPtr> merge(int attempt) const {
    std::vector<telemetry::MergeSource> sources;
    for (const model::TaskKey& key : tries_of(std::nullopt, attempt)) {
      sources.push_back({.label = logs_.label(key.task), .log = p_.records->log(key)});
    }
    TY_TRY(telemetry::LogMerge merge,
           telemetry::LogMerge::open(std::move(sources), merge_options()));
    return std::make_unique<MergedText>(std::move(merge), p_.pool);
  }

  asio::awaitable<Result<TextPtr>> follow_merged(int attempt) const {
    auto view = [logs = std::make_shared<JobLogs>(logs_),
                 known = tries_of(std::nullopt, attempt),
                 board = &p_.board,
                 records = p_.records,
                 attempt,
                 only = query_.attempt]() mutable {
      const std::optional<TaskBoard::JobTries> now = board->find(logs->job.id);
      if (now) {
        for (const TaskBoard::Try& one : now->tries) {
          const bool wanted = one.key.attempt >= attempt && (!only || one.key.attempt == *only);
          if (wanted && std::ranges::find(known, one.key) == known.end()) known.push_back(one.key);
        }
      }
      telemetry::MergeView out;
      for (const model::TaskKey& key : known) {
        out.sources.push_back({.label = logs->label(key.task), .log = records->log(key)});
        out.ended.push_back(!now || now->closed || board->has_ended(key));
      }
      out.complete = !now || now->closed;
      return out;
    };
    const auto executor = co_await asio::this_coro::executor;
    co_return std::make_unique<MergedFollowText>(telemetry::LogMergeFollower(
        p_.watcher, executor, p_.pool, std::move(view), merge_options()));
  }

  LogService::Parts p_;
  JobLogs logs_;
  LogQuery query_;
};

}  // namespace

asio::awaitable<Result<JobLogs>> LogService::find(auth::Principal who, std::string job) const {
  JobLogs logs;
  TY_CO_TRY(logs.job,
            co_await p_.finder.find(std::move(who), std::move(job), auth::Action::ReadLogs));
  TY_CO_TRY(const std::string json, co_await p_.jobs.spec(logs.job.seq));
  TY_CO_TRY(logs.spec, model::spec_from_json(json));
  TY_CO_TRY(const std::vector<model::EndedTry> history,
            co_await p_.jobs.task_history(logs.job.seq));
  for (const model::EndedTry& ended : history) {
    logs.tries.push_back({.job = logs.job.id,
                          .attempt = ended.attempt,
                          .task = ended.task.ref,
                          .tries = ended.task.tries});
    if (ended.task.started_at && ended.task.ended_at) logs.over.insert(logs.tries.back());
  }
  if (const auto live = p_.board.find(logs.job.id)) {
    for (const TaskBoard::Try& one : live->tries) {
      if (std::ranges::find(logs.tries, one.key) == logs.tries.end()) logs.tries.push_back(one.key);
    }
  }
  co_return logs;
}

asio::awaitable<Result<TextPtr>> LogService::open(auth::Principal who,
                                                  std::string job,
                                                  LogQuery query) {
  TY_CO_TRY(JobLogs logs, co_await find(std::move(who), std::move(job)));
  Opener opener(p_, std::move(logs), std::move(query));
  co_return co_await opener.open();
}

}  // namespace ty::control
