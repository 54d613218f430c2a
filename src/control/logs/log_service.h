#pragma once
#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "auth/principal.h"
#include "base/result.h"
#include "base/time.h"
#include "control/logs/failure_clue.h"
#include "control/logs/job_logs.h"

namespace ty::rt {
class BlockingPool;
}
namespace ty::store {
class JobStore;
}
namespace ty::telemetry {
class LogWatcher;
class TaskRecords;
}  // namespace ty::telemetry

namespace ty::control {

class EventHub;
class JobFinder;
class TaskBoard;

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

/// A part of a log on its way to somebody: its bytes, or where they lie in a plain file, so that
/// who only passes them on never touches them.
struct LogPiece {
  std::string_view bytes;   ///< when `file` is -1
  int file = -1;            ///< open as long as the text that handed this out
  std::uint64_t begin = 0;  ///< in `file`
  std::uint64_t size = 0;
  bool empty() const { return bytes.empty() && size == 0; }
};

/// A text that is pulled piece by piece. Belongs to the coroutine that asked for it.
class LogText {
 public:
  virtual ~LogText() = default;
  /// Up to about 1 MiB, valid until the next call; empty at the end.
  virtual boost::asio::awaitable<Result<std::string_view>> next() = 0;
  /// As `next`, but what lies as it is in a file may come as its place there: for passing on.
  virtual boost::asio::awaitable<Result<LogPiece>> next_piece();
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
  static constexpr std::size_t kLongestPattern = 1024;
  LogPlace place;
  std::string pattern;  ///< RE2
  bool ignore_case = false;
  std::uint64_t from = 0;  ///< LogHits::next of the page before
  std::size_t limit = 100;
};

struct LogHit {
  std::uint64_t line = 0;  ///< from 1
  std::optional<Time> at;  ///< when its end arrived; null when unknown
  std::string text;        ///< without its newline, at most 16 KiB
  bool cut = false;        ///< there was more of it
};

struct LogHits {
  std::vector<LogHit> hits;
  std::optional<std::uint64_t> next;  ///< there may be more: LogSearchQuery::from of the next page
  std::uint64_t searched = 0;         ///< bytes looked at
};

/// Logs for those who may read them: one task or all merged, live or ended, whole or in part. Any
/// thread.
class LogService {
 public:
  struct Parts {
    std::shared_ptr<telemetry::TaskRecords> records;  ///< the engine's
    store::JobStore& jobs;
    JobFinder& finder;
    TaskBoard& board;
    EventHub& hub;
    telemetry::LogWatcher& watcher;
    rt::BlockingPool& pool;
  };
  explicit LogService(Parts parts) : p_(std::move(parts)) {}

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
  boost::asio::awaitable<Result<LogHits>> search(auth::Principal who,
                                                 std::string job,
                                                 LogSearchQuery query);
  /// Of a job that has failed. Null: not by its own command, or its log says nothing we know.
  boost::asio::awaitable<Result<std::optional<FailureClue>>> clue(auth::Principal who,
                                                                  std::string job);
  /// The job and all of its tries that have begun, for those who may read their logs.
  boost::asio::awaitable<Result<JobLogs>> find(auth::Principal who, std::string job) const;

 private:
  /// The log of one task; none when that task has not begun.
  struct Chosen {
    std::string task;
    int attempt = 0;
    std::optional<model::TaskKey> key;
  };
  Result<Chosen> choose(const JobLogs& logs, const LogPlace& place) const;
  Parts p_;
};

}  // namespace ty::control
