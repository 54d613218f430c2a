#pragma once
#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "auth/principal.h"
#include "base/result.h"
#include "base/time.h"
#include "control/data_dir.h"
#include "control/event_hub.h"
#include "control/jobs/job_finder.h"
#include "control/logs/job_logs.h"
#include "control/task_board.h"
#include "rt/blocking_pool.h"
#include "telemetry/log_follow.h"
#include "telemetry/log_search.h"

namespace ty::control {

/// Which part of which logs.
struct LogQuery {
  std::string task;  ///< `worker-1`, or a role's name when it has one task; empty: the only task,
                     ///< else all merged
  std::optional<int> attempt;  ///< of the job; null: the present or last one, and with `follow`
                               ///< those that come after
  bool merged = false;
  bool follow = false;
  std::optional<std::uint64_t> tail;                             ///< last so many lines
  std::optional<std::pair<std::uint64_t, std::uint64_t>> lines;  ///< from 1, both included
  std::optional<std::pair<std::uint64_t, std::uint64_t>> bytes;  ///< first, and one past the last
  std::optional<Time> since, until;
  std::string grep;  ///< RE2; only lines that match
  bool ignore_case = false;
};

/// A text that is pulled piece by piece. Belongs to the coroutine that asked for it.
class LogText {
 public:
  virtual ~LogText() = default;
  /// Up to about 1 MiB, valid until the next call; empty at the end.
  virtual boost::asio::awaitable<Result<std::string_view>> next() = 0;
  /// As `next`, but what lies as it is in a file may come as its place there: for passing on.
  virtual boost::asio::awaitable<Result<telemetry::LogPiece>> next_piece();
  /// Known beforehand for plain ranges: Content-Length, and with `total` the size of the whole log
  /// for Content-Range.
  std::optional<std::uint64_t> length;
  std::optional<std::uint64_t> total;
};

/// One task's log: the last try of an attempt.
struct LogPlace {
  std::string task;            ///< empty: the only task
  std::optional<int> attempt;  ///< null: the present or last one
};

/// Which lines: from a number, from a moment, or, with neither, the last ones.
struct LogLinesQuery {
  LogPlace place;
  std::optional<std::uint64_t> first;  ///< from 1
  std::optional<Time> at;
  std::uint64_t count = 200;
};

struct LogLine {
  std::optional<Time> at;  ///< when its end arrived; null when unknown
  std::string text;        ///< without its newline, at most 8 KiB
  bool cut = false;        ///< there was more of it
};

struct LogLines {
  std::string task;
  int attempt = 0;
  std::uint64_t total = 0;  ///< lines there are now
  std::uint64_t first = 1;  ///< number of the first line of `lines`
  std::vector<LogLine> lines;
};

struct LogSearchQuery {
  LogPlace place;
  telemetry::LinePattern pattern;
  std::uint64_t from = 0;  ///< SearchPage::next of the page before
  std::size_t limit = 100;
};

/// What the log of the task that ended a failed job says about it.
struct FailureClue {
  std::string task;
  std::uint64_t line = 0;  ///< its number, from 1
  std::string said;        ///< the line itself, at most 8 KiB
  std::string_view code;   ///< model::LogClue
  std::string_view text;
};

/// Logs for those who may read them: one task or all merged, live or ended, whole or in part. Any
/// thread.
class LogService {
 public:
  struct Parts {
    const DataDir& dirs;
    store::JobStore& jobs;
    JobFinder& finder;
    TaskBoard& board;
    EventHub& hub;
    telemetry::LogWatcher& watcher;
    rt::BlockingPool& pool;
  };
  explicit LogService(Parts parts) : p_(parts) {}

  /// NotFound when there is no such job or task for this caller, with the names of the tasks there
  /// are; Invalid for a broken pattern or a combination that makes no sense. A job that has not
  /// begun has an empty log; with `follow` the text waits for it. A task that was started more than
  /// once in an attempt has its tries one after the other; parts (`tail`, `lines`, …) are of the
  /// last one.
  boost::asio::awaitable<Result<std::unique_ptr<LogText>>> open(auth::Principal who,
                                                                std::string job,
                                                                LogQuery query);

  /// Any lines of one task by number, for views that draw only what is seen. A log that does not
  /// exist yet has none.
  boost::asio::awaitable<Result<LogLines>> lines(auth::Principal who,
                                                 std::string job,
                                                 LogLinesQuery query);
  /// Lines of one task that match, with their numbers, page by page.
  boost::asio::awaitable<Result<telemetry::SearchPage>> search(auth::Principal who,
                                                               std::string job,
                                                               LogSearchQuery query);
  /// Of a job that has failed. Null: not by its own command, or its log says nothing we know.
  boost::asio::awaitable<Result<std::optional<FailureClue>>> clue(auth::Principal who,
                                                                  std::string job);
  /// The job and all of its tries that have begun, for those who may read their logs.
  boost::asio::awaitable<Result<JobLogs>> find(auth::Principal who, std::string job) const;

 private:
  /// Where the log of one task lies; a null path when that task has not begun.
  struct Chosen {
    std::string task;
    int attempt = 0;
    std::optional<std::string> path;
  };
  Result<Chosen> choose(const JobLogs& logs, const LogPlace& place) const;
  Parts p_;
};

}  // namespace ty::control
