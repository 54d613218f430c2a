#include "telemetry/log_keeper.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include "telemetry/impl/testing.h"
#include "telemetry/log_paths.h"

namespace ty::telemetry {
namespace {

using namespace testing;

bool exists(const std::string& path) { return std::filesystem::exists(path); }

std::string whole_text(const std::string& path) {
  auto reader = LogReader::open(path);
  EXPECT_TRUE(reader) << reader.error().message;
  return reader ? read_range(*reader, reader->whole()) : "";
}

TEST(CompressLog, ReplacesBothFiles) {
  const TempDir dir;
  const auto chunks = random_chunks(3'500'000, 2000, 1);
  write_log(dir / "x.log", chunks);
  ASSERT_TRUE(compress_log(dir / "x.log"));
  EXPECT_FALSE(exists(dir / "x.log"));
  EXPECT_FALSE(exists(dir / "x.log.idx"));
  EXPECT_LT(std::filesystem::file_size(dir / "x.log.zst"), 1'500'000u);
  EXPECT_TRUE(whole_text(dir / "x.log") == Naive(chunks).bytes);
  ASSERT_TRUE(compress_log(dir / "x.log")) << "again";
  EXPECT_EQ(compress_log(dir / "none.log").error().code, Errc::NotFound);
}

TEST(CompressLog, IsReadableByZstdItself) {
  if (std::system("command -v zstd >/dev/null 2>&1") != 0) {
    SUCCEED() << "no zstd program here to compare with";
    return;
  }
  const TempDir dir;
  const auto chunks = random_chunks(2'500'000, 2000, 1);
  write_log(dir / "x.log", chunks);
  ASSERT_TRUE(compress_log(dir / "x.log"));
  const std::string command = "zstd -q -d -c " + (dir / "x.log.zst") + " > " + (dir / "out");
  ASSERT_EQ(std::system(command.c_str()), 0);
  EXPECT_TRUE(slurp(dir / "out") == Naive(chunks).bytes);
}

TEST(CompressLog, EmptyLogsAndLogsWithoutIndexAreFine) {
  const TempDir dir;
  spit(dir / "empty.log", "");
  spit(dir / "bare.log", "no index\n");
  ASSERT_TRUE(compress_log(dir / "empty.log"));
  ASSERT_TRUE(compress_log(dir / "bare.log"));
  EXPECT_EQ(whole_text(dir / "empty.log"), "");
  EXPECT_EQ(whole_text(dir / "bare.log"), "no index\n");
}

TEST(CompressLog, ADamagedIndexIsMadeAgainWithTheTimesThatItStillHas) {
  const auto chunks = random_chunks(6'500'000, 2000, 4);
  const Naive naive(chunks);
  const auto times_of = [&](const std::string& path) {
    auto reader = LogReader::open(path);
    EXPECT_EQ(*reader->line_count(), naive.lines.size());
    EXPECT_TRUE(reader->has_times());
    return read_range(*reader, *reader->between(kStart + 300ms, kStart + 500ms));
  };
  {
    const TempDir dir;
    write_log(dir / "x.log", chunks);
    std::string index = slurp(dir / "x.log.idx");
    for (std::size_t i = 0; i < 24 * 40; ++i) index[index.size() / 48 * 24 + i] = '\x55';
    spit(dir / "x.log.idx", index + "torn");
    ASSERT_TRUE(compress_log(dir / "x.log"));
    EXPECT_TRUE(times_of(dir / "x.log") == naive.between(kStart + 300ms, kStart + 500ms));
    EXPECT_TRUE(whole_text(dir / "x.log") == naive.bytes);
  }
  {
    const TempDir dir;
    write_log(dir / "x.log", chunks);
    std::filesystem::remove(dir / "x.log.idx");
    ASSERT_TRUE(compress_log(dir / "x.log"));
    auto reader = LogReader::open(dir / "x.log");
    EXPECT_EQ(*reader->line_count(), naive.lines.size());
    EXPECT_TRUE(reader->has_times());
    EXPECT_EQ(reader->between(SystemClock{}.now() + 1h, std::nullopt)->size(), 0U)
        << "nothing was written in the future";
  }
}

TEST(CompressLog, ACrashAtAnyStepLosesNothingAndCanBeRepeated) {
  const auto chunks = random_chunks(2'500'000, 2000, 4);
  const Naive naive(chunks);
  for (int crash_at = 0;; ++crash_at) {
    const TempDir dir;
    write_log(dir / "x.log", chunks);
    const pid_t child = ::fork();
    if (child == 0) {
      int steps = 0;
      (void)compress_log(dir / "x.log", 1, {}, [&](CompressStep) {
        if (steps++ == crash_at) ::_exit(9);
      });
      ::_exit(0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    const bool survived = WEXITSTATUS(status) == 0;

    auto reader = LogReader::open(dir / "x.log");
    ASSERT_TRUE(reader) << "after step " << crash_at;
    EXPECT_TRUE(read_range(*reader, reader->whole()) == naive.bytes) << "after step " << crash_at;
    EXPECT_EQ(*reader->line_count(), naive.lines.size());
    EXPECT_TRUE(reader->has_times());
    EXPECT_TRUE(read_range(*reader, *reader->between(kStart + 300ms, kStart + 500ms)) ==
                naive.between(kStart + 300ms, kStart + 500ms));

    ASSERT_TRUE(compress_log(dir / "x.log")) << "after step " << crash_at;
    EXPECT_FALSE(exists(dir / "x.log"));
    EXPECT_FALSE(exists(dir / "x.log.idx"));
    EXPECT_TRUE(whole_text(dir / "x.log") == naive.bytes);
    if (survived) {
      EXPECT_GE(crash_at, 12) << "there are so many steps to crash at";
      break;
    }
  }
}

TEST(CompressLog, StoppingLeavesThePlainLogAlone) {
  const TempDir dir;
  const auto chunks = random_chunks(2'500'000, 2000, 4);
  write_log(dir / "x.log", chunks);
  int asked = 0;
  EXPECT_FALSE(compress_log(dir / "x.log", 3, [&] { return ++asked > 3; }));
  EXPECT_TRUE(exists(dir / "x.log"));
  EXPECT_TRUE(whole_text(dir / "x.log") == Naive(chunks).bytes);
  EXPECT_FALSE(exists(dir / "x.log.zst.tmp"));
}

TEST(CompressLog, DamageIsReportedNotServed) {
  const TempDir dir;
  write_log(dir / "x.log", random_chunks(1'500'000, 2000, 4));
  ASSERT_TRUE(compress_log(dir / "x.log"));
  const std::string good = slurp(dir / "x.log.zst");
  std::mt19937 random(9);
  for (int i = 0; i < 200; ++i) {
    std::string bad = good;
    if (i % 2 == 0)
      bad[random() % bad.size()] ^= static_cast<char>(1 + random() % 255);
    else
      bad.resize(random() % bad.size());
    spit(dir / "x.log.zst", bad);
    auto reader = LogReader::open(dir / "x.log");
    if (!reader) continue;
    std::vector<char> buffer(2 << 20);
    const auto got = reader->read_at(0, buffer);
    EXPECT_FALSE(got) << "change " << i << " went unnoticed";
    if (!got) EXPECT_NE(got.error().message.text().find("damaged"), std::string::npos);
  }
}

/// A data directory with jobs whose tasks ended at known times.
class Sweeping : public ::testing::Test {
 protected:
  model::TaskKey add(int n, std::optional<Millis> ended_ago, std::size_t bytes = 50'000) {
    std::string id(32, static_cast<char>('a' + n % 6));
    id[1] = static_cast<char>('0' + n / 6);
    const model::TaskKey key{JobId(id), 0, {0, 0}, 0};
    write_log(log_path(dir.path(), key), random_chunks(bytes, 100, static_cast<unsigned>(n)));
    if (ended_ago) ends[key] = now - *ended_ago;
    return key;
  }
  SweepReport run(const KeepPolicy& policy) {
    auto report =
        sweep(logs_root(dir.path()), policy, now, [this](const auto& key) -> std::optional<Time> {
          const auto found = ends.find(key);
          return found == ends.end() ? std::nullopt : std::optional(found->second);
        });
    EXPECT_TRUE(report);
    EXPECT_EQ(report->faults, std::vector<std::string>{});
    EXPECT_EQ(report->total, *total_size(logs_root(dir.path())));
    return *report;
  }
  bool plain(const model::TaskKey& key) const { return exists(log_path(dir.path(), key)); }
  bool packed(const model::TaskKey& key) const {
    return exists(compressed_path(log_path(dir.path(), key)));
  }
  bool gone(const model::TaskKey& key) const { return !plain(key) && !packed(key); }

  TempDir dir;
  Time now = kStart + std::chrono::days{100};
  std::map<model::TaskKey, Time> ends;
};

TEST_F(Sweeping, CompressesWhatEndedLongEnoughAgo) {
  const auto running = add(0, {});
  const auto fresh = add(1, 59min);
  const auto old = add(2, 61min);
  const SweepReport report = run({.compress_after = 1h});
  EXPECT_TRUE(plain(running));
  EXPECT_TRUE(plain(fresh));
  EXPECT_TRUE(packed(old) && !plain(old));
  EXPECT_EQ(report.logs, 3u);
  EXPECT_EQ(report.compressed, 1u);
  EXPECT_GT(report.saved, 10'000u);
  EXPECT_EQ(run({.compress_after = 1h}).compressed, 0u);
}

TEST_F(Sweeping, DeletesByAge) {
  const auto running = add(0, {});
  const auto young = add(1, 24h * 29);
  const auto old = add(2, 24h * 31);
  const SweepReport report = run({.delete_after = std::chrono::days{30}});
  EXPECT_EQ(report.deleted, 1u);
  EXPECT_TRUE(gone(old));
  EXPECT_FALSE(gone(young));
  EXPECT_FALSE(gone(running));
}

TEST_F(Sweeping, DeletesTheOldestWhenThereIsTooMuch) {
  const auto running = add(0, {}, 200'000);
  std::vector<model::TaskKey> keys;
  for (int i = 1; i <= 6; ++i) keys.push_back(add(i, Millis{i * 1000}, 100'000));
  KeepPolicy policy{.compress_after = {}, .max_total = 450'000};
  run(policy);
  EXPECT_FALSE(gone(running));
  EXPECT_FALSE(gone(keys[0]));
  EXPECT_FALSE(gone(keys[1]));
  for (int i = 2; i < 6; ++i) EXPECT_TRUE(gone(keys[static_cast<std::size_t>(i)])) << i;
  policy.max_total = 1;
  run(policy);
  EXPECT_FALSE(gone(running)) << "what still runs is never deleted";
}

TEST_F(Sweeping, ClearsWhatAnInterruptedSweepLeft) {
  const auto key = add(0, 2h);
  const std::string path = log_path(dir.path(), key);
  spit(path + ".zst.tmp", "half");
  spit(path + ".idx.zst.tmp", "half");
  run({});
  EXPECT_TRUE(packed(key));
  EXPECT_FALSE(exists(path + ".zst.tmp"));
  EXPECT_FALSE(exists(path + ".idx.zst.tmp"));
}

TEST_F(Sweeping, ForeignFilesAreLeftAlone) {
  const auto key = add(0, 2h);
  const std::string folder = job_logs_dir(dir.path(), key.job);
  spit(folder + "/notes.txt", "mine");
  spit(logs_root(dir.path()) + "/README", "mine");
  run({.delete_after = 1h});
  EXPECT_TRUE(gone(key));
  EXPECT_TRUE(exists(folder + "/notes.txt"));
}

TEST_F(Sweeping, EmptyFoldersGoLater) {
  const auto key = add(0, 2h);
  run({.delete_after = 1h});
  EXPECT_TRUE(exists(job_logs_dir(dir.path(), key.job)));
  now = SystemClock().now() + std::chrono::days{2};
  run({});
  EXPECT_FALSE(exists(job_logs_dir(dir.path(), key.job)));
}

TEST_F(Sweeping, StopsWhenAsked) {
  for (int i = 0; i < 6; ++i) add(i, 2h);
  int asked = 0;
  const auto report = sweep(
      logs_root(dir.path()),
      {},
      now,
      [&](const auto&) { return now - 2h; },
      [&] { return ++asked > 8; });
  EXPECT_TRUE(report->stopped);
  EXPECT_LT(report->compressed, 6u);
}

TEST_F(Sweeping, AMissingFolderIsAnEmptyOne) {
  const auto report = sweep(dir / "nothing", {}, now, [](const auto&) { return std::nullopt; });
  ASSERT_TRUE(report);
  EXPECT_EQ(report->total, 0u);
}

TEST_F(Sweeping, RemovingAJobsLogsLeavesNothing) {
  const auto key = add(0, 2h);
  ASSERT_TRUE(remove_job_logs(job_logs_dir(dir.path(), key.job)));
  EXPECT_FALSE(exists(job_logs_dir(dir.path(), key.job)));
  ASSERT_TRUE(remove_job_logs(job_logs_dir(dir.path(), key.job)));
  ASSERT_TRUE(remove_log(log_path(dir.path(), key)));
}

}  // namespace
}  // namespace ty::telemetry
