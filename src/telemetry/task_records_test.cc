#include "telemetry/task_records.h"

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>

#include "telemetry/file_records.h"
#include "telemetry/impl/testing.h"
#include "telemetry/log_follow.h"
#include "telemetry/log_paths.h"
#include "telemetry/log_search.h"
#include "telemetry/log_writer.h"
#include "telemetry/memory_records.h"

/// What every kind of records must do, whoever keeps them.
namespace ty::telemetry {
namespace {

using namespace std::chrono_literals;
using testing::TempDir;
namespace asio = boost::asio;

const Time kStart = from_millis(1'700'000'000'000);

/// One kind of records, and how a task's log grows there.
class Kept {
 public:
  virtual ~Kept() = default;
  virtual TaskRecords& records() = 0;
  virtual void append(const model::TaskKey& key, std::string_view bytes, Time at) = 0;
};

class InFiles final : public Kept {
 public:
  TaskRecords& records() override { return records_; }
  void append(const model::TaskKey& key, std::string_view bytes, Time at) override {
    auto writer = LogWriter::open(log_path(dir_.path(), key));
    ASSERT_TRUE(writer);
    ASSERT_TRUE(writer->append(bytes, at));
  }

 private:
  TempDir dir_;
  FileRecords records_{dir_.path()};
};

class InMemory final : public Kept {
 public:
  TaskRecords& records() override { return records_; }
  void append(const model::TaskKey& key, std::string_view bytes, Time at) override {
    records_.append(key, bytes, at);
  }

 private:
  MemoryRecords records_;
};

struct Kind {
  std::string name;
  std::function<std::unique_ptr<Kept>()> make;
};

class Records : public ::testing::TestWithParam<Kind> {
 protected:
  model::TaskKey key(int index = 0) const {
    return {.job = job_, .task = {.role = 0, .index = index}};
  }
  TaskRecords& records() { return kept_->records(); }
  std::string text(const model::TaskKey& key) {
    auto reader = records().log(key).open();
    if (!reader) return {};
    std::string all(reader->size(), '\0');
    EXPECT_EQ(reader->read_at(0, all).value_or(0), all.size());
    return all;
  }

  std::unique_ptr<Kept> kept_ = GetParam().make();
  const JobId job_ = random_job_id();
};

TEST_P(Records, ALogThatDoesNotExistIsNotFound) {
  const auto reader = records().log(key()).open();
  ASSERT_FALSE(reader);
  EXPECT_EQ(reader.error().code, Errc::NotFound);
}

TEST_P(Records, ALogIsReadByOffsetLineAndTime) {
  kept_->append(key(), "one\ntwo\n", kStart);
  kept_->append(key(), "three\n", kStart + 10s);
  auto reader = records().log(key()).open();
  ASSERT_TRUE(reader);
  EXPECT_EQ(*reader->line_count(), 3u);
  EXPECT_EQ(*reader->last_lines(1), (ByteRange{8, 14}));
  EXPECT_EQ(*reader->lines(2, 2), (ByteRange{4, 8}));
  EXPECT_EQ(*reader->between(kStart + 5s, std::nullopt), (ByteRange{8, 14}));
  EXPECT_EQ(*reader->time_at(9), kStart + 10s);
  auto matcher = LineMatcher::compile({.text = "t.o"});
  ASSERT_TRUE(matcher);
  const auto found = search(*reader, *matcher, {.limit = 10});
  ASSERT_TRUE(found);
  ASSERT_EQ(found->hits.size(), 1u);
  EXPECT_EQ(found->hits[0].line, 2u);
}

TEST_P(Records, AReaderSeesGrowthAfterItsRefresh) {
  kept_->append(key(), "one\n", kStart);
  auto reader = records().log(key()).open();
  ASSERT_TRUE(reader);
  kept_->append(key(), "two\n", kStart + 1s);
  EXPECT_EQ(reader->size(), 4u);
  ASSERT_TRUE(reader->refresh());
  EXPECT_EQ(reader->size(), 8u);
  EXPECT_EQ(*reader->line_count(), 2u);
}

TEST_P(Records, AFollowerGetsEveryByteOnceInOrder) {
  asio::io_context io;
  LogWatcher watcher(io.get_executor(), Millis{1});
  std::atomic<bool> ended = false;
  auto follow = [&]() -> asio::awaitable<std::string> {
    FollowOptions options{.log = records().log(key()), .ended = [&] { return ended.load(); }};
    LogFollower follower(watcher, io.get_executor(), std::move(options));
    std::string all;
    for (int pieces = 0;; ++pieces) {
      const auto piece = co_await follower.next();
      if (!piece || piece->empty()) co_return all;
      all += *piece;
      if (pieces == 0) {
        kept_->append(key(), "two\n", kStart + 1s);
        ended = true;
        watcher.poke(records().log(key()).name);
      }
    }
  };
  kept_->append(key(), "one\n", kStart);
  auto done = asio::co_spawn(io, follow(), asio::use_future);
  while (done.wait_for(0s) != std::future_status::ready) io.run_one_for(10ms);
  EXPECT_EQ(done.get(), "one\ntwo\n");
}

TEST_P(Records, SamplesComeBackInOrder) {
  kept_->append(key(), "one\n", kStart);
  EXPECT_TRUE(records().usage(key(), std::nullopt)->empty());
  EXPECT_FALSE(*records().last_usage(key()));
  for (int i = 0; i < 3; ++i) {
    model::TaskUsage usage;
    usage.at = kStart + Seconds{i};
    usage.memory = i * 100;
    ASSERT_TRUE(records().add_usage(key(), usage));
  }
  const auto all = records().usage(key(), kStart + 1s);
  ASSERT_TRUE(all);
  ASSERT_EQ(all->size(), 2u);
  EXPECT_EQ(all->front().memory, 100);
  EXPECT_EQ((*records().last_usage(key()))->memory, 200);
}

TEST_P(Records, NothingIsKeptOfATaskWithoutALog) {
  const auto kept = records().add_usage(key(), {.at = kStart});
  ASSERT_FALSE(kept);
  EXPECT_EQ(kept.error().code, Errc::NotFound);
}

TEST_P(Records, AJobGoesWithAllItsTasks) {
  kept_->append(key(0), "one\n", kStart);
  kept_->append(key(1), "two\n", kStart);
  ASSERT_TRUE(records().remove(job_));
  EXPECT_EQ(text(key(0)) + text(key(1)), "");
  EXPECT_TRUE(records().remove(job_));
}

TEST_P(Records, WhatRunsIsNeverSweptAway) {
  kept_->append(key(0), "runs\n", kStart);
  kept_->append(key(1), "over\n", kStart);
  const KeepPolicy policy{.delete_after = Seconds{1}};
  const auto has_ended = [](const model::TaskKey& one) { return one.task.index == 1; };
  const auto report = records().sweep(
      policy, SystemClock{}.now() + std::chrono::hours{1}, has_ended, [] { return false; });
  ASSERT_TRUE(report);
  EXPECT_EQ(report->deleted, 1u);
  EXPECT_EQ(text(key(0)), "runs\n");
  EXPECT_EQ(text(key(1)), "");
}

INSTANTIATE_TEST_SUITE_P(
    Kinds,
    Records,
    ::testing::Values(Kind{"Files", [] { return std::make_unique<InFiles>(); }},
                      Kind{"Memory", [] { return std::make_unique<InMemory>(); }}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace ty::telemetry
