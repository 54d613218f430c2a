#include "sched/replay.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <numeric>

namespace ty::sched {
namespace {

Trace small_trace() {
  std::ifstream file(TY_SOURCE_DIR "/tests/data/traces/small.csv");
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  auto trace = read_trace(text);
  EXPECT_TRUE(trace.has_value());
  return *trace;
}

constexpr ReplaySite kSite{.nodes = 4, .gpus_per_node = 8};

TEST(Replay, ReadsColumnsInAnyOrderAndSortsByTime) {
  const auto trace = read_trace(
      "cluster,num_gpus,duration,timestamp\r\n"
      "b,2,60,2017-10-09 07:00:10\r\n"
      "a,1,30.5,2017-10-09 07:00:00\r\n");
  ASSERT_TRUE(trace.has_value());
  ASSERT_EQ(trace->jobs.size(), 2);
  EXPECT_EQ(trace->jobs[0].gpus, 1);
  EXPECT_EQ(trace->jobs[0].duration, Millis(30'500));
  EXPECT_EQ(trace->tenants[trace->jobs[0].tenant], "a");
  EXPECT_EQ(trace->jobs[1].submitted - trace->jobs[0].submitted, 10s);
}

TEST(Replay, AFaultNamesItsLine) {
  const auto missing = read_trace("timestamp,duration\n");
  ASSERT_FALSE(missing.has_value());
  EXPECT_NE(missing.error().message.text().find("num_gpus"), std::string::npos);
  const auto wrong = read_trace("timestamp,duration,num_gpus\n2017-10-09 07:00:00,many,1\n");
  ASSERT_FALSE(wrong.has_value());
  EXPECT_NE(wrong.error().message.text().find("line 2"), std::string::npos);
  EXPECT_FALSE(read_trace("").has_value());
}

TEST(Replay, FirstComeFirstServedIsExactlyThat) {
  // 8 GPUs: the second needs all of them and the third waits behind it although it would fit.
  const auto trace = *read_trace(
      "timestamp,duration,num_gpus\n"
      "2017-10-09 07:00:00,100,4\n2017-10-09 07:00:01,100,8\n2017-10-09 07:00:02,10,1\n");
  const ReplaySite one{.nodes = 1};
  const auto fifo = replay(trace, one, ReplayPolicy::Fifo);
  EXPECT_EQ(fifo.wait, (std::vector<Millis>{0s, 99s, 198s}));
  const auto skip = replay(trace, one, ReplayPolicy::FifoSkip);
  EXPECT_EQ(skip.wait, (std::vector<Millis>{0s, 99s, 0s}));
  const auto oracle = replay(trace, one, ReplayPolicy::Oracle);
  EXPECT_EQ(oracle.wait[2], 0s);
}

TEST(Replay, EveryJobRunsForItsDurationUnderEveryPolicy) {
  const auto trace = small_trace();
  ASSERT_TRUE(fits_site(trace, kSite).has_value());
  for (const auto policy : replay_policies()) {
    SCOPED_TRACE(std::string(to_string(policy)));
    const auto result = replay(trace, kSite, policy);
    for (std::size_t i = 0; i < trace.jobs.size(); ++i) {
      EXPECT_GE(result.first_wait[i], Millis(0));
      EXPECT_GE(result.wait[i], result.first_wait[i]);
      EXPECT_EQ(result.completion[i] - result.wait[i], trace.jobs[i].duration);
    }
    EXPECT_GT(result.utilisation, 0.1);
    EXPECT_LE(result.utilisation, 1.0);
    EXPECT_EQ(*replay_policy(to_string(policy)), policy);
  }
}

TEST(Replay, LeastServiceComesNearTheOracleAndFarBelowFirstCome) {
  const auto trace = small_trace();
  const auto fifo = replay(trace, kSite, ReplayPolicy::Fifo);
  const auto mean = [&](ReplayPolicy policy) {
    return figures_of(trace, replay(trace, kSite, policy), &fifo).completion.mean;
  };
  const auto oracle = mean(ReplayPolicy::Oracle);
  EXPECT_LE(mean(ReplayPolicy::Service), 1.5 * oracle);
  EXPECT_LE(mean(ReplayPolicy::Fair), mean(ReplayPolicy::Fifo));
  EXPECT_GE(mean(ReplayPolicy::Fifo), 2 * oracle);
}

TEST(Replay, AStopCostsWhatItIsSaidToCost) {
  const auto trace = small_trace();
  auto dear = kSite;
  dear.restart = 10min;
  const auto free = replay(trace, kSite, ReplayPolicy::Service);
  const auto paid = replay(trace, dear, ReplayPolicy::Service);
  ASSERT_GT(free.preemptions, 0);
  const auto sum = [](const std::vector<Millis>& v) {
    return std::accumulate(v.begin(), v.end(), Millis(0));
  };
  EXPECT_GT(sum(paid.completion), sum(free.completion));
}

TEST(Replay, FiguresAreRight) {
  const auto trace = *read_trace(
      "timestamp,duration,num_gpus,cluster\n"
      "2017-10-09 07:00:00,3600,8,a\n2017-10-09 07:00:00,3600,8,b\n");
  const ReplaySite one{.nodes = 1};
  const auto fifo = replay(trace, one, ReplayPolicy::Fifo);
  const auto f = figures_of(trace, fifo, &fifo);
  EXPECT_DOUBLE_EQ(f.completion.mean, 1.5);
  EXPECT_DOUBLE_EQ(f.wait.mean, 0.5);
  EXPECT_DOUBLE_EQ(f.utilisation, 1);
  EXPECT_EQ(f.tenant_wait, (std::vector<double>{0, 1}));
  EXPECT_DOUBLE_EQ(f.fairness, 0.9);  // (1 + 1/2)² / 2·(1 + 1/4)
  EXPECT_DOUBLE_EQ(*f.worst_behind_fifo, 0);
  EXPECT_DOUBLE_EQ(*f.worst_start_behind_fifo, 0);
}

TEST(Replay, AFirstStartIsComparedWithFifosToo) {
  // The long one starts at once and is stopped for the short ones: late in the end, not at first.
  const auto trace = *read_trace(
      "timestamp,duration,num_gpus\n2017-10-09 07:00:00,360000,8\n"
      "2017-10-09 08:00:00,180000,8\n");
  const ReplaySite one{.nodes = 1};
  const auto fifo = replay(trace, one, ReplayPolicy::Fifo);
  const auto oracle = replay(trace, one, ReplayPolicy::Oracle);
  EXPECT_EQ(fifo.first_wait, (std::vector<Millis>{0s, 99h}));
  EXPECT_EQ(oracle.first_wait, (std::vector<Millis>{0s, 0s}));
  EXPECT_EQ(oracle.wait, (std::vector<Millis>{50h, 0s}));
  const auto f = figures_of(trace, oracle, &fifo);
  EXPECT_DOUBLE_EQ(*f.worst_behind_fifo, 50);
  EXPECT_EQ(f.a_day_behind_fifo, 1);
  EXPECT_DOUBLE_EQ(*f.worst_start_behind_fifo, 0);
  EXPECT_EQ(f.starts_a_day_behind_fifo, 0);
}

TEST(Replay, EstimatesAreToldAndCompared) {
  auto site = kSite;
  site.estimate_every = 5;
  const auto trace = small_trace();
  const auto result = replay(trace, site, ReplayPolicy::Fair);
  EXPECT_GT(result.estimate_error.size(), 5);
}

TEST(Replay, ATraceThatCannotRunIsRefused) {
  const auto trace = *read_trace("timestamp,duration,num_gpus\n2017-10-09 07:00:00,1,64\n");
  const auto fits = fits_site(trace, kSite);
  ASSERT_FALSE(fits.has_value());
  EXPECT_NE(fits.error().message.text().find("needs 64 GPUs"), std::string::npos);
}

TEST(Replay, DrawsEveryPolicy) {
  const auto trace = small_trace();
  std::vector<ReplayResult> results;
  for (const auto policy : replay_policies()) results.push_back(replay(trace, kSite, policy));
  const auto svg = replay_svg(trace, results);
  EXPECT_TRUE(svg.starts_with("<svg"));
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
  const auto page = replay_page(trace, kSite, results);
  for (const auto policy : replay_policies())
    EXPECT_NE(page.find(to_string(policy)), std::string::npos);
  EXPECT_EQ(page.find("<script"), std::string::npos);
}

}  // namespace
}  // namespace ty::sched
