#include "telemetry/log_follow.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_future.hpp>
#include <memory>
#include <thread>

#include "telemetry/impl/testing.h"
#include "telemetry/log_keeper.h"

namespace ty::telemetry {
namespace {

using namespace testing;
namespace asio = boost::asio;

/// What came so far.
struct Followed {
  std::string text;
  std::optional<Error> error;
  std::size_t pieces = 0;
  bool done = false;
};

asio::awaitable<void> follow(LogWatcher& watcher,
                             asio::any_io_executor executor,
                             FollowOptions options,
                             std::shared_ptr<Followed> followed) {
  LogFollower follower(watcher, executor, std::move(options));
  while (true) {
    auto piece = co_await follower.next();
    if (!piece) followed->error = piece.error();
    if (!piece || piece->empty()) break;
    EXPECT_LE(piece->size(), kLogChunk);
    followed->text += *piece;
    ++followed->pieces;
  }
  followed->done = true;
}

/// The loop runs only when a test says so, until nothing more is to be done: what a write or a poke
/// sets off has then happened. The poll's time never comes, so what arrived came by inotify or a
/// poke.
class Following : public ::testing::Test {
 protected:
  ~Following() override {
    watcher.reset();
    settle();
  }
  std::shared_ptr<const Followed> start(FollowOptions options) { return start(options, *watcher); }
  std::shared_ptr<const Followed> start(FollowOptions options, LogWatcher& by) {
    auto followed = std::make_shared<Followed>();
    options.gap = Millis{0};
    asio::co_spawn(io,
                   follow(by, io.get_executor(), std::move(options), followed),
                   [](std::exception_ptr thrown) { EXPECT_FALSE(thrown); });
    settle();
    return followed;
  }
  void settle() {
    while (io.poll() > 0) {
    }
  }
  std::string text_of(FollowOptions finished) {
    const auto followed = start(std::move(finished));
    EXPECT_TRUE(followed->done);
    return followed->text;
  }

  TempDir dir;
  asio::io_context io;
  asio::executor_work_guard<asio::io_context::executor_type> work{io.get_executor()};
  std::unique_ptr<LogWatcher> watcher = std::make_unique<LogWatcher>(io.get_executor(), 24h);
};

TEST_F(Following, AFinishedLogEndsAtOnce) {
  write_log(dir / "x.log", {{"one\ntwo\n", kStart}});
  EXPECT_EQ(text_of({.log = log_file(dir / "x.log")}), "one\ntwo\n");
  EXPECT_EQ(text_of({.log = log_file(dir / "x.log"), .from = 4}), "two\n");
  EXPECT_EQ(text_of({.log = log_file(dir / "x.log"), .from = 8}), "");
  ASSERT_TRUE(compress_log(dir / "x.log"));
  EXPECT_EQ(text_of({.log = log_file(dir / "x.log"), .from = 4}), "two\n");
}

TEST_F(Following, APlainLogIsHandedOutByItsPlaceAndACompressedOneByItsBytes) {
  write_log(dir / "x.log", {{"one\ntwo\n", kStart}});
  const auto first_piece = [&] {
    auto take = [](LogWatcher& watcher, std::string path) -> asio::awaitable<std::string> {
      const auto executor = co_await asio::this_coro::executor;
      FollowOptions options{.log = log_file(std::move(path)), .from = 4};
      LogFollower follower(watcher, executor, std::move(options));
      const Result<LogPiece> piece = co_await follower.next_piece();
      const Result<LogPiece> end = co_await follower.next_piece();
      EXPECT_TRUE(end && end->empty());
      if (piece->file < 0) co_return "bytes: " + std::string(piece->bytes);
      std::string text(piece->range.size(), ' ');
      EXPECT_EQ(::pread(piece->file, text.data(), text.size(), off_t(piece->range.begin)),
                ssize_t(text.size()));
      co_return "place: " + text;
    };
    auto piece = asio::co_spawn(io, take(*watcher, dir / "x.log"), asio::use_future);
    settle();
    return piece.get();
  };
  EXPECT_EQ(first_piece(), "place: two\n");
  ASSERT_TRUE(compress_log(dir / "x.log"));
  EXPECT_EQ(first_piece(), "bytes: two\n");
}

TEST_F(Following, ATaskThatEndedWithoutALogIsNotFound) {
  const auto followed = start({.log = log_file(dir / "none.log")});
  ASSERT_TRUE(followed->error);
  EXPECT_EQ(followed->error->code, Errc::NotFound);
}

TEST_F(Following, EveryByteComesOnceWhileAWriterWrites) {
  std::atomic<bool> ended = false;
  std::vector<std::shared_ptr<const Followed>> followers;
  for (int i = 0; i < 8; ++i) {
    followers.push_back(
        start({.log = log_file(dir / "x.log"), .ended = [&] { return ended.load(); }}));
  }
  std::string expected;
  std::thread writing([&] {
    auto writer = LogWriter::open(dir / "x.log");
    watcher->poke(dir / "x.log");
    std::mt19937 random(1);
    for (int i = 0; i < 3000; ++i) {
      const std::string piece(random() % (i % 100 == 0 ? 300'000 : 200),
                              static_cast<char>('a' + i % 26));
      expected += piece;
      ASSERT_TRUE(writer->append(piece, kStart));
    }
    ended = true;
    watcher->poke(dir / "x.log");
  });
  const auto all_done = [&] {
    return std::ranges::all_of(followers, [](const auto& one) { return one->done; });
  };
  while (!all_done()) io.run_one();
  writing.join();
  for (const auto& followed : followers) {
    EXPECT_FALSE(followed->error);
    EXPECT_TRUE(followed->text == expected);
  }
  EXPECT_EQ(watcher->followers(), 0u);
}

TEST_F(Following, ANewLineArrivesWithoutWaitingForThePoll) {
  bool ended = false;
  auto writer = LogWriter::open(dir / "x.log");
  const auto followed = start({.log = log_file(dir / "x.log"), .ended = [&] { return ended; }});
  for (std::size_t i = 1; i <= 20; ++i) {
    ASSERT_TRUE(writer->append("line\n", kStart));
    settle();
    EXPECT_EQ(followed->text.size(), 5 * i) << "lines come as they are written";
  }
  ended = true;
  ASSERT_TRUE(writer->append("last\n", kStart));  // wakes it once more, and then it has ended
  settle();
  EXPECT_TRUE(followed->done);
  EXPECT_EQ(followed->text.size(), 21u * 5);
}

TEST_F(Following, WaitsForALogThatDoesNotExistYet) {
  bool ended = false;
  const auto followed = start({.log = log_file(dir / "later.log"), .ended = [&] { return ended; }});
  EXPECT_FALSE(followed->done);
  write_log(dir / "later.log", {{"hello\n", kStart}});
  watcher->poke(dir / "later.log");
  settle();
  EXPECT_EQ(followed->text, "hello\n");
  ended = true;
  watcher->poke(dir / "later.log");
  settle();
  EXPECT_TRUE(followed->done);
  EXPECT_EQ(followed->text, "hello\n");
}

TEST_F(Following, GoesOnWhenTheLogIsCompressedUnderIt) {
  bool ended = false;
  write_log(dir / "x.log", {{"one\n", kStart}});
  const auto followed = start({.log = log_file(dir / "x.log"), .ended = [&] { return ended; }});
  EXPECT_EQ(followed->text, "one\n");
  write_log(dir / "x.log", {{"two\n", kStart}});
  ASSERT_TRUE(compress_log(dir / "x.log"));
  ended = true;
  watcher->poke(dir / "x.log");
  settle();
  EXPECT_TRUE(followed->done);
  EXPECT_EQ(followed->text, "one\ntwo\n");
}

TEST_F(Following, ThePollFindsWhatNobodyTold) {
  bool ended = false;
  LogWatcher polling(io.get_executor(), 1ms);
  write_log(dir / "x.log", {{"one\n", kStart}});
  const auto followed =
      start({.log = log_file(dir / "x.log"), .ended = [&] { return ended; }}, polling);
  EXPECT_FALSE(followed->done);
  ended = true;
  while (!followed->done) io.run_one();  // without a poll it would never end
  EXPECT_EQ(followed->text, "one\n");
}

TEST_F(Following, ThousandsAtOnce) {
  bool ended = false;
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);
  constexpr int kLogs = 50;
  constexpr int kFollowers = 3000;
  std::vector<LogWriter> writers;
  for (int i = 0; i < kLogs; ++i)
    writers.push_back(std::move(*LogWriter::open(dir / std::to_string(i))));
  std::vector<std::shared_ptr<const Followed>> followers;
  for (int i = 0; i < kFollowers; ++i) {
    followers.push_back(
        start({.log = log_file(dir / std::to_string(i % kLogs)), .ended = [&] { return ended; }}));
  }
  for (int round = 0; round < 5; ++round) {
    for (LogWriter& writer : writers) ASSERT_TRUE(writer.append("line\n", kStart));
    settle();
  }
  ended = true;
  for (int i = 0; i < kLogs; ++i) watcher->poke(dir / std::to_string(i));
  settle();
  for (const auto& followed : followers) {
    EXPECT_TRUE(followed->done);
    EXPECT_EQ(followed->text, "line\nline\nline\nline\nline\n");
  }
}

TEST_F(Following, ACancelledFollowerLeavesNothingBehind) {
  write_log(dir / "x.log", {{"one\n", kStart}});
  asio::cancellation_signal cancel;
  bool gone = false;
  FollowOptions endless{
      .log = log_file(dir / "x.log"), .ended = [] { return false; }, .gap = Millis{0}};
  asio::co_spawn(
      io,
      follow(*watcher, io.get_executor(), std::move(endless), std::make_shared<Followed>()),
      asio::bind_cancellation_slot(cancel.slot(), [&](std::exception_ptr thrown) {
        EXPECT_TRUE(thrown);
        gone = true;
      }));
  settle();
  EXPECT_EQ(watcher->followers(), 1u);
  cancel.emit(asio::cancellation_type::terminal);
  settle();
  EXPECT_TRUE(gone);
  EXPECT_EQ(watcher->followers(), 0u);
}

}  // namespace
}  // namespace ty::telemetry
