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
#include "telemetry/log_reader.h"
#include "telemetry/log_ref.h"

namespace ty::telemetry {

/// A piece smaller than this is a trickle, worth collecting for a moment.
inline constexpr std::size_t kTrickle = std::size_t{64} << 10;

/// Tells followers when a log grew. One per server: a single inotify descriptor on `executor`,
/// however many logs and followers there are. A watch fires once and is armed again only when its
/// follower has caught up, so a task that writes a million times a second costs no more than one
/// that writes a lot at once. All calls are safe from any thread. Where inotify is used up,
/// followers look every `poll` instead.
class LogWatcher {
 public:
  explicit LogWatcher(boost::asio::any_io_executor executor, Millis poll = Millis{500});
  LogWatcher(const LogWatcher&) = delete;
  LogWatcher& operator=(const LogWatcher&) = delete;
  /// Followers still waiting go on by polling.
  ~LogWatcher();

  /// Wakes the followers of this log (LogRef::name) now: its task started, or ended; or it grew,
  /// where it lies in no file that could be watched.
  void poke(const std::string& name);
  /// Followers (not logs) registered now, for a gauge.
  std::size_t followers() const;

  class State;

 private:
  std::shared_ptr<State> state_;
  friend class LogInterest;
};

/// The wish of one coroutine to be woken when any of some logs grows. Belongs to one executor (a
/// strand or a single-threaded loop); only the coroutine that owns it may call it.
///
/// To miss nothing: `arm()`, then look, then `wait()`.
class LogInterest {
 public:
  LogInterest(LogWatcher& watcher, boost::asio::any_io_executor executor);
  LogInterest(LogInterest&&) noexcept;
  LogInterest& operator=(LogInterest&&) = delete;
  ~LogInterest();

  /// Logs that do not exist yet may be added: a poke, or the poll, finds them later. Adding twice
  /// changes nothing.
  void add(const std::string& name);
  void remove(const std::string& name);
  /// Cheap when nothing fired since the last time.
  void arm();
  /// Returns after a change, a poke, or a poll's time, whichever is first.
  boost::asio::awaitable<void> wait();
  /// Returns after `time`, whatever happens; used to keep a chatty log from waking us for every
  /// line.
  boost::asio::awaitable<void> rest(Millis time);

  class Waiter;

 private:
  std::shared_ptr<LogWatcher::State> state_;
  std::shared_ptr<Waiter> waiter_;
};

struct FollowOptions {
  LogRef log;
  std::uint64_t from = 0;  ///< first byte to hand out
  /// Has the task ended (its last byte is in the file)? Called from the follower's executor after
  /// every catch-up; must be quick. Once true, it stays true. Null: an ended log.
  std::function<bool()> ended;
  /// At most one look per so long while little arrives, so many small writes become few pieces.
  Millis gap{10};
};

/// Hands out a log's bytes from `from` on, each exactly once and in order, until the task has ended
/// and all was read. Waits for a log that does not exist yet. A follower of a finished log never
/// waits. Keeps no buffer while it waits.
///
///     LogFollower follower(watcher, executor, options);
///     for (;;) { TY_CO_TRY(auto piece, co_await follower.next()); if (piece.empty()) break; … }
class LogFollower {
 public:
  LogFollower(LogWatcher& watcher, boost::asio::any_io_executor executor, FollowOptions options);

  /// Up to 1 MiB, valid until the next call; empty at the very end. Errc::NotFound when the task
  /// ended without ever having had a log.
  boost::asio::awaitable<Result<std::string_view>> next();
  /// As `next`, but a log that lies as it is in a file is not read: up to 16 MiB by their place.
  boost::asio::awaitable<Result<LogPiece>> next_piece();
  std::uint64_t position() const { return at_; }

 private:
  /// How many bytes there are beyond `at_`; waits until there are some. 0: the very end.
  boost::asio::awaitable<Result<std::uint64_t>> wait_for_bytes();
  Result<std::uint64_t> look();
  Result<std::string_view> read(std::uint64_t ready);

  FollowOptions options_;
  LogInterest interest_;
  std::optional<LogReader> reader_;
  std::uint64_t at_;
  std::vector<char> buffer_;
  bool registered_ = false;
  bool trickling_ = false;
};

}  // namespace ty::telemetry
