#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <csignal>
#include <future>
#include <stdexcept>
#include <thread>

#include "rt/blocking_pool.h"
#include "rt/log.h"
#include "rt/run_on.h"
#include "rt/signals.h"
#include "rt/task_group.h"
#include "rt/within.h"

namespace ty::rt {
namespace {

namespace asio = boost::asio;
using asio::awaitable;
using namespace std::chrono_literals;

/// Runs one coroutine to its end on a loop of its own and rethrows what it threw.
template <class T>
T run(awaitable<T> work) {
  asio::io_context io;
  std::exception_ptr thrown;
  if constexpr (std::is_void_v<T>) {
    asio::co_spawn(io, std::move(work), [&](std::exception_ptr e) { thrown = e; });
    io.run();
    if (thrown) std::rethrow_exception(thrown);
  } else {
    std::optional<T> value;
    auto keep = [&](awaitable<T> inner) -> awaitable<void> {
      value.emplace(co_await std::move(inner));
    };
    asio::co_spawn(io, keep(std::move(work)), [&](std::exception_ptr e) { thrown = e; });
    io.run();
    if (thrown) std::rethrow_exception(thrown);
    return std::move(*value);
  }
}

awaitable<void> sleep_for(Millis time) {
  asio::steady_timer timer(co_await asio::this_coro::executor, time);
  co_await timer.async_wait(asio::use_awaitable);
}

struct NoDefault {
  explicit NoDefault(int v) : value(v) {}
  int value;
};

TEST(BlockingPool, ReturnsAValueThatHasNoDefaultAndComesBackToTheCallersThread) {
  BlockingPool pool(1);
  auto work = [&]() -> awaitable<void> {
    const auto here = std::this_thread::get_id();
    auto function = [] { return std::make_pair(NoDefault(7), std::this_thread::get_id()); };
    const auto [value, there] = co_await pool.run(function);
    EXPECT_EQ(value.value, 7);
    EXPECT_NE(there, here);
    EXPECT_EQ(std::this_thread::get_id(), here);
    co_await pool.run([] {});
  };
  run(work());
}

TEST(BlockingPool, BringsExceptionsBack) {
  BlockingPool pool(1);
  auto work = [&]() -> awaitable<void> {
    auto function = []() -> int { throw std::runtime_error("no"); };
    (void)co_await pool.run(function);
  };
  EXPECT_THROW(run(work()), std::runtime_error);
}

TEST(BlockingPool, FinishesTheFunctionBeforeACancelledCallerGoes) {
  BlockingPool pool(1);
  std::atomic<bool> finished = false;
  auto work = [&]() -> awaitable<void> {
    auto slow = [&]() -> awaitable<Result<int>> {
      auto function = [&] {
        std::this_thread::sleep_for(50ms);
        finished = true;
        return 1;
      };
      co_return co_await pool.run(function);
    };
    const auto result = co_await within(5ms, slow());
    EXPECT_TRUE(finished);
    // The value was there when the caller came back, so it is used.
    EXPECT_TRUE(result.has_value());
  };
  run(work());
}

TEST(Within, TellsATimeoutFromAnAnswer) {
  auto work = []() -> awaitable<void> {
    auto quick = []() -> awaitable<Result<NoDefault>> {
      co_await sleep_for(1ms);
      co_return NoDefault(3);
    };
    auto slow = []() -> awaitable<Result<void>> {
      co_await sleep_for(1h);
      co_return Result<void>{};
    };
    auto failing = []() -> awaitable<Result<int>> {
      co_await sleep_for(1ms);
      co_return fail(Errc::Conflict, plain("taken"));
    };
    const auto value = co_await within(10s, quick());
    EXPECT_EQ(value->value, 3);
    const auto none = co_await within(20ms, slow());
    EXPECT_EQ(none.error().code, Errc::Timeout);
    EXPECT_EQ(none.error().message.text(), "no answer within 20 ms");
    const auto error = co_await within(10s, failing());
    EXPECT_EQ(error.error().code, Errc::Conflict);
  };
  run(work());
}

TEST(Within, LetsExceptionsThroughWithoutWaitingForTheDeadline) {
  auto work = []() -> awaitable<void> {
    auto throwing = []() -> awaitable<Result<int>> {
      co_await sleep_for(1ms);
      throw std::runtime_error("broken");
    };
    (void)co_await within(1h, throwing());
  };
  EXPECT_THROW(run(work()), std::runtime_error);
}

TEST(TaskGroup, StopCancelsAndWaitsForEveryTask) {
  int ended = 0;
  auto work = [&]() -> awaitable<void> {
    TaskGroup group(co_await asio::this_coro::executor);
    auto loop = [&ended]() -> awaitable<void> {
      struct Count {
        int& n;
        ~Count() { ++n; }
      } count{ended};
      co_await sleep_for(1h);
    };
    auto brief = [&ended]() -> awaitable<void> {
      ++ended;
      co_return;
    };
    for (int i = 0; i < 10; ++i) group.spawn("loop", loop());
    group.spawn("brief", brief());
    co_await sleep_for(2ms);
    EXPECT_EQ(group.size(), 10u);
    co_await group.stop();
    EXPECT_EQ(group.size(), 0u);
    group.spawn("late", loop());
    EXPECT_EQ(group.size(), 0u);
    co_await group.stop();
  };
  run(work());
  EXPECT_EQ(ended, 11);
}

TEST(TaskGroup, StopsATaskThatHasNotBegun) {
  auto work = []() -> awaitable<void> {
    TaskGroup group(co_await asio::this_coro::executor);
    group.spawn("loop", sleep_for(1h));
    co_await group.stop();
  };
  run(work());
}

TEST(TaskGroup, SpawnsFromManyThreadsOntoAStrand) {
  asio::thread_pool threads(3);
  std::atomic<int> ran = 0;
  TaskGroup group(asio::make_strand(threads));
  auto count = [&ran]() -> awaitable<void> {
    ++ran;
    co_await sleep_for(1h);
  };
  std::vector<std::thread> spawners;
  for (int t = 0; t < 4; ++t) {
    spawners.emplace_back([&] {
      for (int i = 0; i < 100; ++i) group.spawn("count", count());
    });
  }
  for (auto& thread : spawners) thread.join();
  run(group.stop());
  EXPECT_EQ(group.size(), 0u);
  EXPECT_LE(ran, 400);
  threads.join();
}

TEST(TaskGroupDeathTest, AnExceptionEndsTheProgramAndNamesTheTask) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  auto work = []() -> awaitable<void> {
    TaskGroup group(co_await asio::this_coro::executor);
    auto broken = []() -> awaitable<void> {
      throw std::runtime_error("boom");
      co_return;
    };
    group.spawn("log-tail", broken());
    co_await sleep_for(1s);
  };
  EXPECT_DEATH(run(work()), "task.failed task=log-tail error=boom");
}

TEST(RunOn, DoesTheWorkThereAndComesBackEvenWhenTheCallerIsCancelled) {
  asio::thread_pool threads(1);
  auto strand = asio::make_strand(threads);
  std::atomic<bool> finished = false;
  auto work = [&]() -> awaitable<void> {
    const auto here = std::this_thread::get_id();
    auto there = [&]() -> awaitable<NoDefault> {
      EXPECT_NE(std::this_thread::get_id(), here);
      co_await sleep_for(30ms);
      finished = true;
      co_return NoDefault(5);
    };
    auto hop = [&]() -> awaitable<Result<int>> {
      const auto value = co_await run_on(strand, there());
      EXPECT_EQ(std::this_thread::get_id(), here);
      co_return value.value;
    };
    const auto result = co_await within(1ms, hop());
    EXPECT_TRUE(finished);
    EXPECT_EQ(*result, 5);
  };
  run(work());
  threads.join();
}

TEST(Signals, AHangUpIsToldAndTheOthersEnd) {
  auto work = []() -> awaitable<void> {
    const auto executor = co_await asio::this_coro::executor;
    int hang_ups = 0;
    asio::steady_timer timer(executor, 5ms);
    timer.async_wait([](auto) { ::raise(SIGHUP); });
    const int signal = co_await told_to_end([&] { ::raise(++hang_ups < 2 ? SIGHUP : SIGTERM); });
    EXPECT_EQ(signal, SIGTERM);
    EXPECT_EQ(hang_ups, 2);
  };
  run(work());
}

TEST(Log, JsonSplitsALineIntoEventAndKeys) {
  EXPECT_EQ(
      log::render_json(log::Level::Info, "T", "job.placed job=k1 why=2 GPUs free of 4 node=n\"1"),
      R"({"time":"T","level":"info","event":"job.placed","job":"k1","why":"2 GPUs free of 4","node":"n\"1"})");
  EXPECT_EQ(log::render_json(log::Level::Warn, "T", "no keys here"),
            R"({"time":"T","level":"warn","event":"no keys here"})");
  EXPECT_EQ(log::render_json(log::Level::Warn, "T", "x text=a=b\nc"),
            R"({"time":"T","level":"warn","event":"x","text":"a=b\nc"})");
}

TEST(Log, LevelsBelowTheChosenOneAreNotFormatted) {
  log::configure({.level = log::Level::Warn});
  EXPECT_FALSE(log::enabled(log::Level::Info));
  EXPECT_TRUE(log::enabled(log::Level::Error));
  log::configure({});
}

}  // namespace
}  // namespace ty::rt
