#include "telemetry/log_follow.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_future.hpp>
#include <future>
#include <thread>

#include "telemetry/impl/testing.h"
#include "telemetry/log_keeper.h"

namespace ty::telemetry {
namespace {

using namespace testing;
namespace asio = boost::asio;

struct Followed {
  std::string text;
  std::optional<Error> error;
  std::size_t pieces = 0;
};

asio::awaitable<Followed> follow(LogWatcher& watcher,
                                 asio::any_io_executor executor,
                                 FollowOptions options) {
  LogFollower follower(watcher, executor, std::move(options));
  Followed followed;
  while (true) {
    auto piece = co_await follower.next();
    if (!piece) followed.error = piece.error();
    if (!piece || piece->empty()) co_return followed;
    EXPECT_LE(piece->size(), kLogChunk);
    followed.text += *piece;
    ++followed.pieces;
  }
}

/// A loop on its own thread, with a watcher. The poll is long, so what arrives quickly came by
/// inotify or a poke.
class Following : public ::testing::Test {
 protected:
  ~Following() override {
    watcher.reset();
    work.reset();
    thread.join();
  }
  std::future<Followed> start(FollowOptions options) {
    return asio::co_spawn(
        io, follow(*watcher, io.get_executor(), std::move(options)), asio::use_future);
  }

  TempDir dir;
  asio::io_context io;
  std::optional<asio::executor_work_guard<asio::io_context::executor_type>> work{io.get_executor()};
  std::unique_ptr<LogWatcher> watcher = std::make_unique<LogWatcher>(io.get_executor(), 20s);
  std::thread thread{[this] { io.run(); }};
};

TEST_F(Following, AFinishedLogEndsAtOnce) {
  write_log(dir / "x.log", {{"one\ntwo\n", kStart}});
  EXPECT_EQ(start({.path = dir / "x.log"}).get().text, "one\ntwo\n");
  EXPECT_EQ(start({.path = dir / "x.log", .from = 4}).get().text, "two\n");
  EXPECT_EQ(start({.path = dir / "x.log", .from = 8}).get().text, "");
  ASSERT_TRUE(compress_log(dir / "x.log"));
  EXPECT_EQ(start({.path = dir / "x.log", .from = 4}).get().text, "two\n");
}

TEST_F(Following, APlainLogIsHandedOutByItsPlaceAndACompressedOneByItsBytes) {
  write_log(dir / "x.log", {{"one\ntwo\n", kStart}});
  const auto first_piece = [&] {
    auto take = [](LogWatcher& watcher, std::string path) -> asio::awaitable<std::string> {
      const auto executor = co_await asio::this_coro::executor;
      FollowOptions options{.path = std::move(path), .from = 4};
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
    return asio::co_spawn(io, take(*watcher, dir / "x.log"), asio::use_future).get();
  };
  EXPECT_EQ(first_piece(), "place: two\n");
  ASSERT_TRUE(compress_log(dir / "x.log"));
  EXPECT_EQ(first_piece(), "bytes: two\n");
}

TEST_F(Following, ATaskThatEndedWithoutALogIsNotFound) {
  const Followed followed = start({.path = dir / "none.log"}).get();
  ASSERT_TRUE(followed.error);
  EXPECT_EQ(followed.error->code, Errc::NotFound);
}

TEST_F(Following, EveryByteComesOnceWhileAWriterWrites) {
  std::atomic<bool> ended = false;
  std::vector<std::future<Followed>> followers;
  for (int i = 0; i < 8; ++i) {
    followers.push_back(start({.path = dir / "x.log", .ended = [&] { return ended.load(); }}));
  }
  std::string expected;
  {
    auto writer = LogWriter::open(dir / "x.log");
    std::mt19937 random(1);
    for (int i = 0; i < 3000; ++i) {
      const std::string piece(random() % (i % 100 == 0 ? 300'000 : 200),
                              static_cast<char>('a' + i % 26));
      expected += piece;
      ASSERT_TRUE(writer->append(piece, kStart));
      if (i % 300 == 0) std::this_thread::sleep_for(3ms);
    }
  }
  ended = true;
  watcher->poke(dir / "x.log");
  for (auto& follower : followers) {
    const Followed followed = follower.get();
    EXPECT_FALSE(followed.error);
    EXPECT_TRUE(followed.text == expected);
  }
  EXPECT_EQ(watcher->followers(), 0u);
}

TEST_F(Following, ANewLineArrivesWithoutWaitingForThePoll) {
  std::atomic<bool> ended = false;
  auto writer = LogWriter::open(dir / "x.log");
  auto followed = start({.path = dir / "x.log", .ended = [&] { return ended.load(); }});
  const auto started = std::chrono::steady_clock::now();
  for (int i = 0; i < 20; ++i) {
    std::this_thread::sleep_for(15ms);
    ASSERT_TRUE(writer->append("line\n", kStart));
  }
  ended = true;
  ASSERT_TRUE(writer->append("last\n", kStart));  // wakes it once more, and then it has ended
  const Followed result = followed.get();
  EXPECT_LT(std::chrono::steady_clock::now() - started, 10s);
  EXPECT_EQ(result.text.size(), 21u * 5);
  EXPECT_GE(result.pieces, 10u) << "lines came as they were written";
}

TEST_F(Following, WaitsForALogThatDoesNotExistYet) {
  std::atomic<bool> ended = false;
  auto followed = start({.path = dir / "later.log", .ended = [&] { return ended.load(); }});
  std::this_thread::sleep_for(20ms);
  write_log(dir / "later.log", {{"hello\n", kStart}});
  watcher->poke(dir / "later.log");
  std::this_thread::sleep_for(20ms);
  ended = true;
  watcher->poke(dir / "later.log");
  EXPECT_EQ(followed.get().text, "hello\n");
}

TEST_F(Following, GoesOnWhenTheLogIsCompressedUnderIt) {
  std::atomic<bool> ended = false;
  write_log(dir / "x.log", {{"one\n", kStart}});
  auto followed = start({.path = dir / "x.log", .ended = [&] { return ended.load(); }});
  std::this_thread::sleep_for(20ms);
  write_log(dir / "x.log", {{"two\n", kStart}});
  ASSERT_TRUE(compress_log(dir / "x.log"));
  ended = true;
  watcher->poke(dir / "x.log");
  EXPECT_EQ(followed.get().text, "one\ntwo\n");
}

TEST_F(Following, ThePollFindsWhatNobodyTold) {
  std::atomic<bool> ended = false;
  LogWatcher polling(io.get_executor(), 5ms);
  write_log(dir / "x.log", {{"one\n", kStart}});
  auto followed =
      asio::co_spawn(io,
                     follow(polling,
                            io.get_executor(),
                            {.path = dir / "x.log", .ended = [&] { return ended.load(); }}),
                     asio::use_future);
  std::this_thread::sleep_for(30ms);
  ended = true;
  EXPECT_EQ(followed.get().text, "one\n");
}

TEST_F(Following, ThousandsAtOnce) {
  std::atomic<bool> ended = false;
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);
  constexpr int kLogs = 50;
  constexpr int kFollowers = 3000;
  std::vector<LogWriter> writers;
  for (int i = 0; i < kLogs; ++i)
    writers.push_back(std::move(*LogWriter::open(dir / std::to_string(i))));
  std::vector<std::future<Followed>> followers;
  for (int i = 0; i < kFollowers; ++i) {
    followers.push_back(
        start({.path = dir / std::to_string(i % kLogs), .ended = [&] { return ended.load(); }}));
  }
  for (int round = 0; round < 5; ++round) {
    for (LogWriter& writer : writers) ASSERT_TRUE(writer.append("line\n", kStart));
    std::this_thread::sleep_for(5ms);
  }
  ended = true;
  for (int i = 0; i < kLogs; ++i) watcher->poke(dir / std::to_string(i));
  for (auto& follower : followers) EXPECT_EQ(follower.get().text, "line\nline\nline\nline\nline\n");
}

TEST_F(Following, ACancelledFollowerLeavesNothingBehind) {
  write_log(dir / "x.log", {{"one\n", kStart}});
  asio::cancellation_signal cancel;
  std::promise<void> gone;
  asio::co_spawn(
      io,
      follow(*watcher, io.get_executor(), {.path = dir / "x.log", .ended = [] { return false; }}),
      asio::bind_cancellation_slot(cancel.slot(), [&](std::exception_ptr thrown, Followed) {
        EXPECT_TRUE(thrown);
        gone.set_value();
      }));
  while (watcher->followers() == 0) std::this_thread::sleep_for(1ms);
  std::this_thread::sleep_for(20ms);
  asio::post(io, [&] { cancel.emit(asio::cancellation_type::terminal); });
  gone.get_future().get();
  EXPECT_EQ(watcher->followers(), 0u);
}

}  // namespace
}  // namespace ty::telemetry
