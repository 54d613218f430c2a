#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "engine/local/usage/usage_reader.h"
#include "engine/test_support.h"

namespace ty::engine {
namespace {

class UsageReaderTest : public ::testing::Test {
 protected:
  void put(const std::string& path, std::string_view text) {
    const std::filesystem::path full = dir_.path() + "/" + path;
    std::filesystem::create_directories(full.parent_path());
    std::ofstream(full) << text;
  }
  CgroupMount mount(const std::string& name, bool is_v2, std::vector<std::string> controllers) {
    return {dir_.path() + "/" + name, "/", is_v2, std::move(controllers)};
  }
  testing::TempDir dir_;
};

TEST_F(UsageReaderTest, Version2) {
  put("u/docker/c1/cpu.stat", "usage_usec 2500000\nuser_usec 2000000\n");
  put("u/docker/c1/memory.current", "5000\n");
  put("u/docker/c1/memory.peak", "9000\n");
  put("u/docker/c1/memory.stat", "anon 3000\ninactive_file 1500\n");
  put("u/docker/c1/pids.current", "3\n");
  put("u/docker/c1/io.stat", "8:0 rbytes=10 wbytes=20 rios=1\n8:16 rbytes=1 wbytes=2 rios=1\n");
  const auto reader = UsageReader::of_groups({mount("u", true, {"cpu", "memory", "pids", "io"})},
                                             "0::/docker/c1\n");
  model::TaskUsage expected;
  expected.cpu_us = 2'500'000;
  expected.memory = 3500;
  expected.memory_peak = 9000;
  expected.processes = 3;
  expected.disk_read = 11;
  expected.disk_written = 22;
  EXPECT_EQ(reader.read(), expected);

  const auto no_cpu_controller =
      UsageReader::of_groups({mount("u", true, {"memory", "pids", "io"})}, "0::/docker/c1\n");
  EXPECT_EQ(no_cpu_controller.read(), expected);
}

TEST_F(UsageReaderTest, Version1AndHybridMachines) {
  put("memory/docker/c1/memory.usage_in_bytes", "5000\n");
  put("memory/docker/c1/memory.max_usage_in_bytes", "9000\n");
  put("memory/docker/c1/memory.stat", "inactive_file 1\ntotal_inactive_file 1500\n");
  put("cpuacct/docker/c1/cpuacct.usage", "2500000000\n");
  put("pids/docker/c1/pids.current", "3\n");
  put("blkio/docker/c1/blkio.throttle.io_service_bytes",
      "8:0 Read 10\n8:0 Write 20\n8:0 Total 30\nTotal 30\n");
  put("unified/docker/c1/cgroup.procs", "1\n");
  const auto reader = UsageReader::of_groups(
      {mount("unified", true, {}),
       mount("cpu", false, {"cpu"}),
       mount("cpuacct", false, {"cpuacct"}),
       mount("memory", false, {"memory"}),
       mount("pids", false, {"pids"}),
       mount("blkio", false, {"blkio"})},
      "6:pids:/docker/c1\n5:blkio:/docker/c1\n4:memory:/docker/c1\n3:cpuacct,cpu:/docker/c1\n"
      "0::/docker/c1\n");
  model::TaskUsage expected;
  expected.cpu_us = 2'500'000;
  expected.memory = 3500;
  expected.memory_peak = 9000;
  expected.processes = 3;
  expected.disk_read = 10;
  expected.disk_written = 20;
  EXPECT_EQ(reader.read(), expected);
}

TEST_F(UsageReaderTest, WhatIsMissingIsMissing) {
  const auto reader = UsageReader::of_groups({mount("u", true, {"cpu", "memory"})}, "0::/gone\n");
  EXPECT_EQ(reader.read(), model::TaskUsage{});
}

TEST_F(UsageReaderTest, TheNetworkIsSummedUpWithoutTheLoopback) {
  put("net/dev",
      "Inter-|   Receive                  |  Transmit\n"
      " face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets\n"
      "    lo:     999       9    0    0    0     0          0         0      999       9\n"
      "  eth0:    1000      10    0    0    0     0          0         0     2000      20\n"
      "  eth1:       1       1    0    0    0     0          0         0        2       1\n");
  UsageReader reader;
  reader.network = dir_.path() + "/net/dev";
  EXPECT_EQ(reader.read().network_received, 1001);
  EXPECT_EQ(reader.read().network_sent, 2002);
}

TEST_F(UsageReaderTest, AGroupThatIsMountedElsewhereIsFound) {
  put("u/c1/pids.current", "3\n");
  CgroupMount mounted = mount("u", true, {"pids"});
  mounted.root = "/system.slice";
  EXPECT_EQ(UsageReader::of_groups({mounted}, "0::/system.slice/c1\n").read().processes, 3);
}

TEST_F(UsageReaderTest, OurOwnProcessIsSomewhere) {
  const UsageReader reader = UsageReader::of_process(::getpid());
  EXPECT_TRUE(reader.network.empty());  // the machine's, not our own
}

}  // namespace
}  // namespace ty::engine
