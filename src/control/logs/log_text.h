#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "control/event_hub.h"
#include "control/logs/log_service.h"
#include "model/job.h"
#include "rt/blocking_pool.h"
#include "telemetry/log_follow.h"
#include "telemetry/log_merge.h"
#include "telemetry/log_reader.h"
#include "telemetry/log_search.h"
#include "telemetry/task_records.h"

/// The texts LogService hands out. Each pulls from logs or from another text.
namespace ty::control {

/// A part of one log as it stands.
class RangeText final : public LogText {
 public:
  RangeText(telemetry::LogReader reader, telemetry::ByteRange range);
  boost::asio::awaitable<Result<std::string_view>> next() override;
  boost::asio::awaitable<Result<LogPiece>> next_piece() override;

 private:
  telemetry::LogReader reader_;
  telemetry::ByteRange unplaced_;  ///< what `next_piece` has not handed out
  telemetry::LogStream stream_;
};

/// One after the other.
class ChainText final : public LogText {
 public:
  explicit ChainText(std::vector<std::unique_ptr<LogText>> parts);
  boost::asio::awaitable<Result<std::string_view>> next() override;
  boost::asio::awaitable<Result<LogPiece>> next_piece() override;

 private:
  std::vector<std::unique_ptr<LogText>> parts_;
  std::size_t at_ = 0;
};

/// One task while it runs, through all its tries and the job's attempts, until the job is final.
class FollowText final : public LogText {
 public:
  /// The next try to follow after `last` (null: the first); asked again after every event until it
  /// answers or says that none will come.
  struct Next {
    std::optional<model::TaskKey> key;
    bool none = false;
  };
  struct Parts {
    std::function<Next(const std::optional<model::TaskKey>& last)> next_try;
    std::shared_ptr<telemetry::TaskRecords> records;
    std::function<bool(const model::TaskKey&)> has_ended;
    EventHub& hub;
    telemetry::LogWatcher& watcher;
  };
  /// `first_from`: where to begin in the first try, for `tail`.
  FollowText(Parts parts, std::optional<model::TaskKey> first, std::uint64_t first_from);
  boost::asio::awaitable<Result<std::string_view>> next() override;
  boost::asio::awaitable<Result<LogPiece>> next_piece() override;

 private:
  template <class Taken>
  boost::asio::awaitable<Result<Taken>> take(
      boost::asio::awaitable<Result<Taken>> (telemetry::LogFollower::*next)());
  boost::asio::awaitable<bool> begin_next();

  Parts p_;
  std::optional<model::TaskKey> first_;
  std::uint64_t from_;
  std::optional<model::TaskKey> current_;
  std::unique_ptr<telemetry::LogFollower> follower_;
};

/// All tasks as one text, as they stand or as they go on.
class MergedText final : public LogText {
 public:
  MergedText(telemetry::LogMerge merge, rt::BlockingPool& pool)
      : merge_(std::move(merge)), pool_(pool) {}
  boost::asio::awaitable<Result<std::string_view>> next() override;

 private:
  telemetry::LogMerge merge_;
  rt::BlockingPool& pool_;
};

class MergedFollowText final : public LogText {
 public:
  explicit MergedFollowText(telemetry::LogMergeFollower follower)
      : follower_(std::move(follower)) {}
  boost::asio::awaitable<Result<std::string_view>> next() override { return follower_.next(); }

 private:
  telemetry::LogMergeFollower follower_;
};

/// Only the lines that match.
class FilteredText final : public LogText {
 public:
  FilteredText(std::unique_ptr<LogText> inner,
               telemetry::LineMatcher matcher,
               rt::BlockingPool& pool);
  boost::asio::awaitable<Result<std::string_view>> next() override;

 private:
  std::unique_ptr<LogText> inner_;
  std::unique_ptr<telemetry::LineMatcher> matcher_;
  telemetry::LineFilter filter_;
  rt::BlockingPool& pool_;
  std::string out_;
  bool finished_ = false;
};

}  // namespace ty::control
