#include "telemetry/log_merge.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <future>

#include "telemetry/impl/testing.h"
#include "telemetry/log_keeper.h"

namespace ty::telemetry {
namespace {

using namespace testing;
namespace asio = boost::asio;

std::string merged(std::vector<MergeSource> sources, MergeOptions options = {}) {
  auto merge = LogMerge::open(std::move(sources), options);
  EXPECT_TRUE(merge) << merge.error().message;
  std::string text;
  while (true) {
    auto piece = merge->next();
    EXPECT_TRUE(piece) << piece.error().message;
    if (!piece || piece->empty()) return text;
    EXPECT_LE(piece->size(), kLogChunk + 100);
    text += *piece;
  }
}

TEST(LogMerge, PutsWholeLinesInOrderOfTime) {
  const TempDir dir;
  write_log(dir / "a",
            {{"a1\n", kStart}, {"a2 be", kStart + 1s}, {"gun earlier\na3\n", kStart + 4s}});
  write_log(dir / "b",
            {{"b1\nb2\n", kStart + 2s}, {"b3\n", kStart + 4s}, {"no newline", kStart + 5s}});
  EXPECT_EQ(merged({{"worker-0", log_file(dir / "a")},
                    {"worker-1", log_file(dir / "b")},
                    {"worker-2", log_file(dir / "missing")}}),
            "worker-0 | a1\n"
            "worker-1 | b1\n"
            "worker-1 | b2\n"
            "worker-0 | a2 begun earlier\n"
            "worker-0 | a3\n"
            "worker-1 | b3\n"
            "worker-1 | no newline\n");
}

TEST(LogMerge, CanLeaveOutLabelsAndWhatIsTooOldOrTooNew) {
  const TempDir dir;
  write_log(dir / "a", {{"a1\n", kStart}, {"a2\n", kStart + 2s}, {"a3\n", kStart + 4s}});
  write_log(dir / "b", {{"b1\n", kStart + 1s}, {"b2\n", kStart + 3s}, {"b3\n", kStart + 5s}});
  const std::vector<MergeSource> sources = {{"a", log_file(dir / "a")}, {"b", log_file(dir / "b")}};
  EXPECT_EQ(merged(sources, {.since = kStart + 2s, .until = kStart + 5s, .labels = false}),
            "a2\nb2\na3\n");
  EXPECT_EQ(merged(sources, {.last_lines = 2, .labels = false}), "a3\nb3\n");
  EXPECT_EQ(merged(sources, {.until = kStart + 3s, .last_lines = 2, .labels = false}), "b1\na2\n");
  EXPECT_EQ(merged(sources, {.last_lines = 0}), "");
  EXPECT_EQ(merged(sources, {.last_lines = 100, .labels = false}), "a1\nb1\na2\nb2\na3\nb3\n");
}

TEST(LogMerge, AClockSetBackKeepsATasksLinesInOrder) {
  const TempDir dir;
  write_log(dir / "a", {{"a1\n", kStart + 10s}, {"a2\n", kStart}, {"a3\n", kStart + 11s}});
  write_log(dir / "b", {{"b1\n", kStart + 5s}});
  EXPECT_EQ(merged({{"a", log_file(dir / "a")}, {"b", log_file(dir / "b")}}, {.labels = false}),
            "b1\na1\na2\na3\n");
}

TEST(LogMerge, AHugeLineStaysInOnePieceOfText) {
  const TempDir dir;
  const std::string huge(5 << 20, 'x');
  write_log(dir / "a", {{"a1\n", kStart}, {huge + "\n", kStart + 1s}, {"a3\n", kStart + 9s}});
  write_log(dir / "b", {{"b1\n", kStart + 1s}, {"b2\n", kStart + 2s}});
  EXPECT_TRUE(merged({{"a", log_file(dir / "a")}, {"b", log_file(dir / "b")}}) ==
              "a | a1\na | " + huge + "\nb | b1\nb | b2\na | a3\n");
  EXPECT_TRUE(merged({{"a", log_file(dir / "a")}, {"b", log_file(dir / "b")}},
                     {.last_lines = 3, .labels = false}) == "b1\nb2\na3\n");
}

/// All lines sorted by time, with each task's clock kept from going back.
std::string naive_merge(const std::vector<Naive>& logs) {
  struct Row {
    Time time;
    std::size_t source;
    std::size_t line;
    std::string text;
  };
  std::vector<Row> rows;
  for (std::size_t i = 0; i < logs.size(); ++i) {
    Time last{};
    for (const auto& line : logs[i].lines) {
      last = std::max(last, line.time);
      std::string text = line.text;
      if (!text.ends_with('\n')) text += '\n';
      rows.push_back({last, i, rows.size(), "t" + std::to_string(i) + " | " + text});
    }
  }
  std::ranges::sort(
      rows, {}, [](const Row& row) { return std::tie(row.time, row.source, row.line); });
  std::string text;
  for (const Row& row : rows) text += row.text;
  return text;
}

std::vector<Chunk> arbitrary_chunks() {
  const auto byte = rc::gen::elementOf(std::string("ab\n\n"));
  std::vector<Chunk> chunks;
  Time at = kStart;
  for (const auto& piece :
       *rc::gen::container<std::vector<std::string>>(rc::gen::container<std::string>(byte))) {
    chunks.push_back({piece, at});
    at += Millis{*rc::gen::inRange(0, 4)};
  }
  return chunks;
}

RC_GTEST_PROP(LogMerge, IsAStableSortByTimePlainOrCompressed, ()) {
  const TempDir dir;
  std::vector<MergeSource> sources;
  std::vector<Naive> logs;
  const int count = *rc::gen::inRange(1, 5);
  for (int i = 0; i < count; ++i) {
    const auto chunks = arbitrary_chunks();
    const std::string path = dir / std::to_string(i);
    write_log(path, chunks);
    if (*rc::gen::arbitrary<bool>()) RC_ASSERT(compress_log(path).has_value());
    sources.push_back({"t" + std::to_string(i), log_file(path)});
    logs.emplace_back(chunks);
  }
  const std::string expected = naive_merge(logs);
  RC_ASSERT(merged(sources) == expected);

  const auto n = *rc::gen::inRange<std::uint64_t>(0, 10);
  const Naive all({{expected, kStart}});
  RC_ASSERT(merged(sources, {.last_lines = n}) == all.last(n));
}

asio::awaitable<std::string> follow(LogWatcher& watcher,
                                    asio::any_io_executor executor,
                                    std::function<MergeView()> view) {
  static rt::BlockingPool pool{1};
  LogMergeFollower follower(watcher, executor, pool, std::move(view));
  std::string text;
  while (true) {
    auto piece = co_await follower.next();
    EXPECT_TRUE(piece);
    if (!piece || piece->empty()) co_return text;
    text += *piece;
  }
}

std::string lines_of(const std::string& text, const std::string& label) {
  std::string out;
  for (const auto& line : Naive({{text, kStart}}).lines) {
    const std::string prefix = label + " | ";
    if (line.text.starts_with(prefix)) out += line.text.substr(prefix.size());
  }
  return out;
}

TEST(LogMergeFollower, LosesNoLineOfTasksThatComeAndGo) {
  const TempDir dir;
  asio::io_context io;
  const auto work = asio::make_work_guard(io);
  LogWatcher watcher(io.get_executor(), 24h);
  MergeView view;
  write_log(dir / "0", {{"early\n", kStart}});
  view.sources = {{"t0", log_file(dir / "0")}};
  view.ended = {false};

  auto followed = asio::co_spawn(
      io, follow(watcher, io.get_executor(), [&] { return view; }), asio::use_future);
  std::vector<std::string> expected = {"early\n", "", ""};
  std::vector<LogWriter> writers;
  writers.push_back(std::move(*LogWriter::open(dir / "0")));
  std::mt19937 random(3);
  for (int i = 0; i < 2000; ++i) {
    if (i == 300 || i == 700) {
      const std::string name = std::to_string(writers.size());
      writers.push_back(std::move(*LogWriter::open(dir / name)));
      view.sources.push_back({"t" + name, log_file(dir / name)});
      view.ended.push_back(false);
    }
    const std::size_t to = random() % writers.size();
    std::string piece(random() % 50, 'x');
    piece += random() % 3 == 0 ? "" : "\n";
    expected[to] += piece;
    ASSERT_TRUE(writers[to].append(piece, kStart + Millis{i}));
    if (i == 1500) watcher.poke(dir / "0");
    for (auto steps = random() % 4; steps > 0; --steps) io.poll_one();  // it reads meanwhile
  }
  view.ended = {true, true, true};
  view.complete = true;
  watcher.poke(dir / "0");
  while (followed.wait_for(0s) != std::future_status::ready) io.run_one();
  const std::string text = followed.get();
  for (std::size_t i = 0; i < 3; ++i) {
    if (!expected[i].ends_with('\n')) expected[i] += '\n';
    EXPECT_TRUE(lines_of(text, "t" + std::to_string(i)) == expected[i]) << i;
  }
  EXPECT_EQ(watcher.followers(), 0u);
}

TEST(LogMergeFollower, AFinishedJobIsMergedAndEnds) {
  const TempDir dir;
  write_log(dir / "a", {{"a1\n", kStart}, {"a2\n", kStart + 2s}});
  write_log(dir / "b", {{"b1\n", kStart + 1s}});
  asio::io_context io;
  LogWatcher watcher(io.get_executor());
  const MergeView view{
      {{"a", log_file(dir / "a")}, {"b", log_file(dir / "b")}, {"c", log_file(dir / "never")}},
      {true, true, true},
      true};
  std::string text;
  auto run = [&]() -> asio::awaitable<void> {
    text = co_await follow(watcher, io.get_executor(), [&] { return view; });
  };
  auto done = asio::co_spawn(io, run(), asio::use_future);
  while (done.wait_for(0s) != std::future_status::ready) io.run_one();
  EXPECT_EQ(text, "a | a1\nb | b1\na | a2\n");
}

}  // namespace
}  // namespace ty::telemetry
