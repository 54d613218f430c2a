#include <algorithm>

#include "control/logs/log_service.h"
#include "control/messages.h"
#include "rt/blocking_pool.h"
#include "telemetry/log_reader.h"
#include "telemetry/log_search.h"
#include "telemetry/task_records.h"

/// LogService: lines by number, and search with numbers. For views that draw only what is seen.
namespace ty::control {

namespace asio = boost::asio;

namespace {

constexpr std::size_t kMaxLine = std::size_t{8} << 10;
/// One answer carries no more text than this: a thousand lines may be a thousand novels.
constexpr std::size_t kMaxText = std::size_t{4} << 20;

/// The line that starts at `offset` and where the next one starts.
Result<std::uint64_t> read_line(telemetry::LogReader& reader, std::uint64_t offset, LogLine& line) {
  TY_TRY(const std::uint64_t end, reader.line_end(offset));
  line.text.resize(std::min<std::uint64_t>(end - offset, kMaxLine));
  TY_TRY(const std::size_t got, reader.read_at(offset, line.text));
  line.text.resize(got);
  line.cut = end - offset > got;
  if (!line.cut && line.text.ends_with('\n')) line.text.pop_back();
  TY_TRY(line.at, reader.time_at(end - 1));
  return end;
}

Result<LogLines> read_lines(const telemetry::LogRef& log,
                            bool is_over,
                            const LogLinesQuery& query,
                            LogLines answer) {
  Result<telemetry::LogReader> opened = log.open();
  if (!opened && opened.error().code == Errc::NotFound && !is_over) return answer;
  if (!opened && opened.error().code == Errc::NotFound)
    return fail(Errc::NotFound, say::log_deleted({.task = answer.task}));
  if (!opened) return std::unexpected(std::move(opened).error());
  telemetry::LogReader reader = *std::move(opened);
  TY_TRY(answer.total, reader.line_count());
  if (query.first) {
    answer.first = *query.first;
  } else if (query.at) {
    TY_TRY(const telemetry::ByteRange later, reader.between(query.at, std::nullopt));
    if (later.begin < reader.size()) {
      TY_TRY(answer.first, reader.line_at(later.begin));
    } else {
      answer.first = answer.total + 1;
    }
  } else {
    answer.first = answer.total > query.count ? answer.total - query.count + 1 : 1;
  }
  if (answer.first > answer.total) return answer;
  TY_TRY(const telemetry::ByteRange range,
         reader.lines(answer.first, answer.first + query.count - 1));
  std::size_t carried = 0;
  for (std::uint64_t at = range.begin; at < range.end && carried < kMaxText;) {
    LogLine line;
    TY_TRY(at, read_line(reader, at, line));
    carried += line.text.size();
    answer.lines.push_back(std::move(line));
  }
  return answer;
}

static_assert(LogSearchQuery::kLongestPattern == telemetry::kMaxPattern);

LogHits hits_of(telemetry::SearchPage page) {
  LogHits hits{.next = page.next, .searched = page.searched};
  hits.hits.reserve(page.hits.size());
  for (telemetry::SearchHit& hit : page.hits)
    hits.hits.push_back(
        {.line = hit.line, .at = hit.time, .text = std::move(hit.text), .cut = hit.cut});
  return hits;
}

}  // namespace

Result<LogService::Chosen> LogService::choose(const JobLogs& logs, const LogPlace& place) const {
  if (place.task.empty() && logs.job.tasks_total > 1)
    return fail(Errc::Invalid, say::lines_of_one_log());
  model::TaskRef task;
  if (!place.task.empty()) {
    TY_TRY(task, logs.find_task(place.task));
  }
  Chosen chosen{.task = logs.label(task), .attempt = place.attempt.value_or(logs.job.life.attempt)};
  for (const model::TaskKey& key : logs.tries) {
    if (key.attempt == chosen.attempt && key.task == task) chosen.key = key;
  }
  return chosen;
}

asio::awaitable<Result<LogLines>> LogService::lines(auth::Principal who,
                                                    std::string job,
                                                    LogLinesQuery query) {
  TY_CO_TRY(const JobLogs logs, co_await find(std::move(who), std::move(job)));
  TY_CO_TRY(const Chosen chosen, choose(logs, query.place));
  LogLines answer{.task = chosen.task, .attempt = chosen.attempt};
  if (!chosen.key) co_return answer;
  auto read = [log = p_.records->log(*chosen.key),
               is_over = logs.over.contains(*chosen.key),
               query = std::move(query),
               answer = std::move(answer)] { return read_lines(log, is_over, query, answer); };
  co_return co_await p_.pool.run(std::move(read));
}

asio::awaitable<Result<LogHits>> LogService::search(auth::Principal who,
                                                    std::string job,
                                                    LogSearchQuery query) {
  TY_CO_TRY(const JobLogs logs, co_await find(std::move(who), std::move(job)));
  TY_CO_TRY(const Chosen chosen, choose(logs, query.place));
  const telemetry::LinePattern pattern{.text = std::move(query.pattern),
                                       .ignore_case = query.ignore_case};
  TY_CO_TRY(telemetry::LineMatcher matcher, telemetry::LineMatcher::compile(pattern));
  if (!chosen.key) co_return LogHits{};
  auto look = [log = p_.records->log(*chosen.key),
               &matcher,
               is_over = logs.over.contains(*chosen.key),
               task = chosen.task,
               from = query.from,
               limit = query.limit]() -> Result<LogHits> {
    Result<telemetry::LogReader> reader = log.open();
    if (!reader && reader.error().code == Errc::NotFound && is_over)
      return fail(Errc::NotFound, say::log_deleted({.task = task}));
    if (!reader && reader.error().code == Errc::NotFound) return LogHits{};
    if (!reader) return std::unexpected(std::move(reader).error());
    TY_TRY(telemetry::SearchPage page,
           telemetry::search(*reader, matcher, {.from = from, .limit = limit}));
    return hits_of(std::move(page));
  };
  co_return co_await p_.pool.run(std::move(look));
}

}  // namespace ty::control
