#include "telemetry/usage_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace ty::telemetry {
namespace {

using model::TaskUsage;

TaskUsage look(std::int64_t second, std::int64_t cpu_us, std::int64_t memory) {
  TaskUsage usage;
  usage.at = from_millis(1'700'000'000'000 + second * 1000);
  usage.cpu_us = cpu_us;
  usage.memory = memory;
  return usage;
}

class UsageFileTest : public ::testing::Test {
 protected:
  UsageFileTest() {
    std::string name = "/tmp/usage-test-XXXXXX";
    folder_ = ::mkdtemp(name.data());
    log_ = folder_ + "/0.0.0.0.log";
  }
  ~UsageFileTest() override { std::filesystem::remove_all(folder_); }
  std::string folder_;
  std::string log_;
};

TEST_F(UsageFileTest, WhatWasWrittenIsRead) {
  TaskUsage whole = look(0, 1, 2);
  whole.memory_peak = 3;
  whole.processes = 4;
  whole.disk_read = 5;
  whole.disk_written = 6;
  whole.network_received = 7;
  whole.network_sent = 8;
  whole.gpus = {{.index = 2, .load_percent = 99, .memory_used = 10},
                {.index = 3, .load_percent = std::nullopt, .memory_used = 0}};
  const TaskUsage little = look(2, 100, 200);
  ASSERT_TRUE(append_usage(log_, whole));
  ASSERT_TRUE(append_usage(log_, little));
  EXPECT_EQ(read_usage(log_, std::nullopt).value(), (std::vector{whole, little}));
  EXPECT_EQ(read_usage(log_, little.at).value(), std::vector{little});
  EXPECT_EQ(last_usage(log_).value(), little);
}

TEST_F(UsageFileTest, ATornLineIsNotThereAndHarmsNoOther) {
  ASSERT_TRUE(append_usage(log_, look(0, 1, 2)));
  const std::string torn = usage_line(look(2, 1, 2));
  std::ofstream(usage_path(log_), std::ios::app) << torn.substr(0, torn.size() / 2);
  EXPECT_EQ(read_usage(log_, std::nullopt)->size(), 1U);
  EXPECT_EQ(last_usage(log_).value(), look(0, 1, 2));
  ASSERT_TRUE(append_usage(log_, look(4, 3, 4)));
  EXPECT_EQ(last_usage(log_).value(), look(4, 3, 4));
  EXPECT_EQ(read_usage(log_, std::nullopt)->size(), 2U);
}

TEST_F(UsageFileTest, NothingThereIsNothingUsed) {
  EXPECT_TRUE(read_usage(log_, std::nullopt)->empty());
  EXPECT_FALSE(last_usage(log_).value());
  EXPECT_FALSE(append_usage(folder_ + "/gone/0.0.0.0.log", look(0, 1, 2)));
}

TEST(UsageCurve, KeepsTheAverageOfCpusAndTheHighestMemory) {
  std::vector<TaskUsage> all;
  for (int i = 0; i <= 100; ++i) all.push_back(look(i, i * 500'000, i == 33 ? 1000 : 10));
  const auto curve = usage_curve(all, 10);
  ASSERT_EQ(curve.size(), 10U);
  EXPECT_FALSE(curve[0].cpus);
  std::int64_t highest = 0;
  for (std::size_t i = 1; i < curve.size(); ++i) EXPECT_DOUBLE_EQ(curve[i].cpus.value(), 0.5);
  for (const UsagePoint& point : curve) highest = std::max(highest, *point.usage.memory);
  EXPECT_EQ(highest, 1000);
  EXPECT_EQ(curve.back().usage.at, all.back().at);
  EXPECT_EQ(usage_curve(all, 1000).size(), all.size());
  EXPECT_TRUE(usage_curve({}, 10).empty());
}

TEST(UsageInterval, GrowsWithTheTask) {
  EXPECT_LT(usage_interval(Millis{0}), usage_interval(std::chrono::hours{2}));
  EXPECT_LT(usage_interval(std::chrono::hours{2}), usage_interval(std::chrono::hours{48}));
}

}  // namespace
}  // namespace ty::telemetry
