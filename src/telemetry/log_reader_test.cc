#include "telemetry/log_reader.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sys/resource.h>

#include <chrono>

#include "telemetry/impl/testing.h"
#include "telemetry/log_keeper.h"
#include "telemetry/log_paths.h"

namespace ty::telemetry {
namespace {

using namespace testing;

LogReader opened(const std::string& path) {
  auto reader = LogReader::open(path);
  EXPECT_TRUE(reader) << reader.error().message;
  return std::move(*reader);
}

/// Small chunks over a small alphabet, so that empty lines, cut lines and equal times are common.
std::vector<Chunk> arbitrary_chunks() {
  const auto byte = rc::gen::elementOf(std::string("ab\n\nc"));
  const auto pieces =
      *rc::gen::container<std::vector<std::string>>(rc::gen::container<std::string>(byte));
  std::vector<Chunk> chunks;
  Time at = kStart;
  for (const std::string& piece : pieces) {
    chunks.push_back({piece, at});
    at += Millis{*rc::gen::inRange(0, 3)};
  }
  return chunks;
}

/// Every question, against the obvious answer.
void check_answers(LogReader& reader, const Naive& naive) {
  RC_ASSERT(reader.size() == naive.bytes.size());
  RC_ASSERT(*reader.line_count() == naive.lines.size());
  RC_ASSERT(read_range(reader, reader.whole(), 3) == naive.bytes);
  const auto n = static_cast<int>(naive.lines.size());
  const auto count = static_cast<std::size_t>(*rc::gen::inRange(0, n + 3));
  RC_ASSERT(read_range(reader, *reader.last_lines(count)) == naive.last(count));

  const auto first = static_cast<std::size_t>(*rc::gen::inRange(1, n + 3));
  const auto last = static_cast<std::size_t>(*rc::gen::inRange(0, n + 3));
  RC_ASSERT(read_range(reader, *reader.lines(first, last)) == naive.joined(first - 1, last));
  RC_ASSERT(read_range(reader, *reader.lines(first, UINT64_MAX)) ==
            naive.joined(first - 1, naive.lines.size()));

  const auto offset = *rc::gen::inRange<std::uint64_t>(0, naive.bytes.size() + 1);
  if (offset < naive.bytes.size()) {
    const auto line = std::find_if(
        naive.lines.rbegin(), naive.lines.rend(), [&](auto& l) { return l.offset <= offset; });
    RC_ASSERT(*reader.line_start(offset) == line->offset);
    RC_ASSERT(*reader.line_end(offset) == line->offset + line->text.size());
    RC_ASSERT(*reader.line_at(offset) == static_cast<std::uint64_t>(naive.lines.rend() - line));
  }
}

void check_times(LogReader& reader, const Naive& naive) {
  for (const auto& line : naive.lines) {
    RC_ASSERT(*reader.time_at(line.offset + line.text.size() - 1) == line.time);
  }
  const auto moment = []() -> std::optional<Time> {
    const int ms = *rc::gen::inRange(-5, 30);
    if (ms < -2) return {};
    return kStart + Millis{ms};
  };
  const auto since = moment();
  const auto until = moment();
  RC_ASSERT(read_range(reader, *reader.between(since, until)) == naive.between(since, until));
}

RC_GTEST_PROP(LogReader, AnswersAsTheObviousProgramPlainAndCompressed, ()) {
  const TempDir dir;
  const auto chunks = arbitrary_chunks();
  const Naive naive(chunks);
  write_log(dir / "x.log", chunks);
  LogReader plain = opened(dir / "x.log");
  check_answers(plain, naive);
  check_times(plain, naive);

  RC_ASSERT(compress_log(dir / "x.log").has_value());
  LogReader packed = opened(dir / "x.log");
  RC_ASSERT(packed.compressed());
  check_answers(packed, naive);
  check_times(packed, naive);
}

RC_GTEST_PROP(LogReader, ATornIndexCostsTimesButNoContent, ()) {
  const TempDir dir;
  const auto chunks = arbitrary_chunks();
  const Naive naive(chunks);
  write_log(dir / "x.log", chunks);
  std::string index = slurp(dir / "x.log.idx");
  // Disks write whole sectors, so what is lost begins at a multiple of 8 bytes: as zeros, or as
  // nothing.
  const auto half = *rc::gen::arbitrary<bool>();
  index.resize(*rc::gen::inRange<std::size_t>(0, index.size() / 8 + 1) * 8);
  index.append(half ? 0 : *rc::gen::inRange<std::size_t>(0, 100), '\0');
  spit(dir / "x.log.idx", index);
  LogReader reader = opened(dir / "x.log");
  check_answers(reader, naive);
}

RC_GTEST_PROP(LogReader, RecordsOfBytesThatNeverReachedTheDiskAreLeftOut, ()) {
  const TempDir dir;
  const auto chunks = arbitrary_chunks();
  write_log(dir / "x.log", chunks);
  std::string bytes = slurp(dir / "x.log");
  bytes.resize(*rc::gen::inRange<std::size_t>(0, bytes.size() + 1));
  spit(dir / "x.log", bytes);
  LogReader reader = opened(dir / "x.log");
  check_answers(reader, Naive({{bytes, kStart}}));
}

TEST(LogReader, WorksWithoutAnIndex) {
  const TempDir dir;
  write_log(dir / "x.log", {{"one\ntwo\n", kStart}, {"three", kStart + 1s}});
  std::filesystem::remove(dir / "x.log.idx");
  LogReader reader = opened(dir / "x.log");
  EXPECT_FALSE(reader.has_times());
  EXPECT_EQ(*reader.line_count(), 3u);
  EXPECT_EQ(read_range(reader, *reader.lines(2, 2)), "two\n");
  EXPECT_EQ(read_range(reader, *reader.last_lines(1)), "three");
  EXPECT_EQ(read_range(reader, *reader.between(kStart + 5s, {})), "one\ntwo\nthree");
  EXPECT_EQ(*reader.time_at(0), std::nullopt);
}

TEST(LogReader, NoiseInsteadOfAnIndexHarmsNothing) {
  const TempDir dir;
  const auto chunks = random_chunks(200'000, 3000, 7);
  write_log(dir / "x.log", chunks);
  std::mt19937 random(1);
  for (int round = 0; round < 50; ++round) {
    std::string noise(random() % 5000, ' ');
    for (char& c : noise) c = static_cast<char>(random());
    spit(dir / "x.log.idx", noise);
    LogReader reader = opened(dir / "x.log");
    EXPECT_TRUE(reader.last_lines(5));
    EXPECT_TRUE(reader.lines(10, 20));
    EXPECT_TRUE(reader.line_count());
    EXPECT_TRUE(reader.between(kStart, kStart + 1s));
    EXPECT_EQ(read_range(reader, reader.whole()).size(), reader.size());
  }
}

TEST(LogReader, AMissingLogIsNotFound) {
  const TempDir dir;
  EXPECT_EQ(LogReader::open(dir / "none.log").error().code, Errc::NotFound);
}

TEST(LogReader, AnEmptyLogHasNoLines) {
  const TempDir dir;
  spit(dir / "x.log", "");
  LogReader reader = opened(dir / "x.log");
  EXPECT_EQ(*reader.line_count(), 0u);
  EXPECT_TRUE(reader.last_lines(10)->empty());
  EXPECT_TRUE(reader.lines(1, 10)->empty());
}

TEST(LogReader, SeesWhatWasAppendedAfterARefresh) {
  const TempDir dir;
  auto writer = LogWriter::open(dir / "x.log");
  ASSERT_TRUE(writer->append("one\ntw", kStart));
  LogReader reader = opened(dir / "x.log");
  ASSERT_TRUE(writer->append("o\nthree\n", kStart + 1s));
  EXPECT_EQ(*reader.line_count(), 2u);
  ASSERT_TRUE(reader.refresh());
  EXPECT_EQ(*reader.line_count(), 3u);
  EXPECT_EQ(read_range(reader, *reader.between(kStart + 1s, {})), "two\nthree\n");
}

TEST(LogReader, LargeLogsAnswerAlikePlainAndCompressedAcrossAllBlockEdges) {
  const TempDir dir;
  const auto chunks = random_chunks(6 << 20, 400'000, 3);
  const Naive naive(chunks);
  write_log(dir / "x.log", chunks);
  for (const bool pack : {false, true}) {
    if (pack) ASSERT_TRUE(compress_log(dir / "x.log"));
    LogReader reader = opened(dir / "x.log");
    EXPECT_EQ(reader.compressed(), pack);
    EXPECT_TRUE(read_range(reader, reader.whole()) == naive.bytes);
    EXPECT_EQ(*reader.line_count(), naive.lines.size());
    std::mt19937 random(5);
    for (int i = 0; i < 60; ++i) {
      const std::size_t a = random() % naive.lines.size();
      const std::size_t b = a + random() % 200;
      EXPECT_TRUE(read_range(reader, *reader.lines(a + 1, b)) == naive.joined(a, b))
          << a << " " << b;
      const std::size_t count = random() % naive.lines.size();
      EXPECT_TRUE(read_range(reader, *reader.last_lines(count)) == naive.last(count)) << count;
      const Time since = kStart + Millis{random() % 6000};
      const Time until = since + Millis{random() % 3000};
      EXPECT_TRUE(read_range(reader, *reader.between(since, until)) == naive.between(since, until));
      const std::uint64_t begin = random() % naive.bytes.size();
      const ByteRange range = reader.bytes({begin, begin + random() % 3'000'000});
      EXPECT_TRUE(read_range(reader, range) == naive.bytes.substr(range.begin, range.size()));
    }
  }
}

TEST(LogReader, LastLinesStayInsideTheirRange) {
  const TempDir dir;
  write_log(dir / "x.log", {{"1\n2\n3\n4\n5\n", kStart}});
  LogReader reader = opened(dir / "x.log");
  EXPECT_EQ(read_range(reader, *reader.last_lines(2, ByteRange{2, 8})), "3\n4\n");
  EXPECT_EQ(read_range(reader, *reader.last_lines(9, ByteRange{2, 8})), "2\n3\n4\n");
}

std::size_t peak_memory() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::size_t>(usage.ru_maxrss) * 1024;
}

template <class F>
double milliseconds(F f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

TEST(LogReader, ALineOf100MegabytesNeverSitsInMemory) {
  const TempDir dir;
  {
    auto writer = LogWriter::open(dir / "x.log");
    ASSERT_TRUE(writer->append("first\n", kStart));
    const std::string piece(1 << 20, 'x');
    for (int i = 0; i < 100; ++i) ASSERT_TRUE(writer->append(piece, kStart + Millis{i}));
    ASSERT_TRUE(writer->append("\nlast\n", kStart + 1s));
  }
  const std::size_t before = peak_memory();
  LogReader reader = opened(dir / "x.log");
  EXPECT_EQ(*reader.line_count(), 3u);
  EXPECT_EQ(reader.lines(2, 2)->size(), (100u << 20) + 1);
  EXPECT_EQ(read_range(reader, *reader.last_lines(1)), "last\n");
  EXPECT_EQ(reader.last_lines(2)->size(), (100u << 20) + 6);
  EXPECT_EQ(*reader.line_start(50 << 20), 6u);
  LogStream stream(reader, *reader.last_lines(2));
  std::size_t bytes = 0;
  while (true) {
    const auto piece = stream.next();
    ASSERT_TRUE(piece);
    if (piece->empty()) break;
    bytes += piece->size();
  }
  EXPECT_EQ(bytes, (100u << 20) + 6);
  EXPECT_LT(peak_memory() - before, 8u << 20);
}

/// Ten gigabytes, nearly all of them holes: marks at every gigabyte, an index as the supervisor
/// would have written it.
void write_sparse_log(const std::string& path, std::uint64_t size) {
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_EQ(::ftruncate(fd, static_cast<off_t>(size)), 0);
  std::vector<model::LogIndexRecord> records;
  std::uint64_t lines = 0;
  const std::uint64_t step = std::uint64_t{1} << 20;
  for (std::uint64_t at = 0; at < size; at += step) {
    records.push_back({to_millis(kStart) + static_cast<std::int64_t>(at / step), at, lines});
    if (at % (1 << 30) != 0) continue;
    const std::string mark = "mark " + std::to_string(at >> 30) + "\n";
    ASSERT_GT(::pwrite(fd, mark.data(), mark.size(), static_cast<off_t>(at)), 0);
    ++lines;
  }
  const std::string tail = "\nlast but one\nthe end\n";
  ASSERT_GT(::pwrite(fd, tail.data(), tail.size(), static_cast<off_t>(size - tail.size())), 0);
  ::close(fd);
  spit(index_path(path),
       {reinterpret_cast<const char*>(records.data()), records.size() * sizeof records[0]});
}

TEST(LogReader, TenGigabytesAnswerAtOnce) {
  const TempDir dir;
  write_sparse_log(dir / "x.log", std::uint64_t{10} << 30);
  const std::size_t before = peak_memory();
  double quickest = 1e9;  // the other rounds had to share the machine
  for (int i = 0; i < 10; ++i) {
    LogReader reader = opened(dir / "x.log");
    const double took = milliseconds(
        [&] { EXPECT_EQ(read_range(reader, *reader.last_lines(2)), "last but one\nthe end\n"); });
    quickest = std::min(quickest, took);
  }
  EXPECT_LT(quickest, 5) << "tail of a huge log, in ms";
  LogReader reader = opened(dir / "x.log");
  const double others = milliseconds([&] {
    EXPECT_EQ(*reader.line_count(), 10u + 1 + 2);
    EXPECT_EQ(reader.lines(11, 11)->end, (std::uint64_t{10} << 30) - 21);
    EXPECT_EQ(reader.lines(7, 7)->begin, (std::uint64_t{5} << 30) + 7);
    EXPECT_EQ(*reader.line_at((std::uint64_t{3} << 30) + 2), 4u);
    EXPECT_EQ(reader.between({}, kStart + 1ms)->end, 7u);
  });
  EXPECT_LT(others, 10'000) << "ms; the lines here are a gigabyte long";
  EXPECT_LT(peak_memory() - before, 8u << 20);
}

TEST(LogWriter, GoesOnAfterACrashBetweenBytesAndRecord) {
  const TempDir dir;
  write_log(dir / "x.log", {{"one\n", kStart}, {"two\n", kStart + 1s}});
  std::string index = slurp(dir / "x.log.idx");
  spit(dir / "x.log.idx", index.substr(0, 24) + std::string(13, '\0'));
  {
    auto writer = LogWriter::open(dir / "x.log");
    ASSERT_TRUE(writer) << writer.error().message;
    ASSERT_TRUE(writer->append("three\n", kStart + 5s));
    ASSERT_TRUE(writer->sync());
  }
  LogReader reader = opened(dir / "x.log");
  EXPECT_EQ(read_range(reader, *reader.lines(3, 3)), "three\n");
  EXPECT_EQ(*reader.time_at(8), kStart + 5s);
  EXPECT_EQ(*reader.time_at(4), kStart);
}

TEST(LogWriter, RefusesALogThatWasCompressed) {
  const TempDir dir;
  write_log(dir / "x.log", {{"one\n", kStart}});
  ASSERT_TRUE(compress_log(dir / "x.log"));
  EXPECT_EQ(LogWriter::open(dir / "x.log").error().code, Errc::Conflict);
}

}  // namespace
}  // namespace ty::telemetry
