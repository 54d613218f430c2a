#pragma once
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "rt/blocking_pool.h"
#include "telemetry/log_follow.h"
#include "telemetry/log_ref.h"

/// All tasks of a job as one text: whole lines in order of time, each with its task in front
/// (`worker-1 | …`). Lines of one task keep their order; at equal times the earlier source comes
/// first. A line's time is when its end arrived. A last line without newline gets one. A log
/// without an index counts as older than all others.
namespace ty::telemetry {

struct MergeSource {
  std::string label;  ///< `worker-1`
  LogRef log;
};

struct MergeOptions {
  std::optional<Time> since, until;
  std::optional<std::uint64_t> last_lines;  ///< only the last so many of the merged lines
  bool labels = true;
};

class MergeCore;

/// Merges logs as they stand now. Blocks while it reads: run it on a blocking pool, or piece by
/// piece. Logs that do not exist are left out.
class LogMerge {
 public:
  static Result<LogMerge> open(std::vector<MergeSource> sources, MergeOptions options = {});
  LogMerge(LogMerge&&) noexcept;
  LogMerge& operator=(LogMerge&&) noexcept;
  ~LogMerge();
  /// Up to about 1 MiB, valid until the next call; empty at the end. Pieces are cut anywhere.
  Result<std::string_view> next();

 private:
  explicit LogMerge(std::unique_ptr<MergeCore> core);
  std::unique_ptr<MergeCore> core_;
};

/// What a following merge must know of its job, asked again whenever something may have changed:
/// from the follower's executor, so be quick.
struct MergeView {
  std::vector<MergeSource>
      sources;  ///< all so far, in a stable order; new tasks and tries are added as they start
  std::vector<bool> ended;  ///< per source: nothing will be appended any more
  bool complete = false;    ///< no further source will come
};

/// The same while tasks still write. What is there at the start comes in exact order of time; after
/// that, lines come as they are completed, those found together in order of time.
class LogMergeFollower {
 public:
  LogMergeFollower(LogWatcher& watcher,
                   boost::asio::any_io_executor executor,
                   rt::BlockingPool& pool,
                   std::function<MergeView()> view,
                   MergeOptions options = {});
  LogMergeFollower(LogMergeFollower&&) noexcept;
  ~LogMergeFollower();
  /// As LogMerge::next, but waits for more until every source has ended and `complete` is true.
  boost::asio::awaitable<Result<std::string_view>> next();

 private:
  Result<bool> look();
  boost::asio::awaitable<Result<bool>> look_first();

  rt::BlockingPool& pool_;
  std::function<MergeView()> view_;
  LogInterest interest_;
  std::unique_ptr<MergeCore> core_;
  bool done_ = false;
  bool trickling_ = false;
  bool has_looked_ = false;
};

}  // namespace ty::telemetry
