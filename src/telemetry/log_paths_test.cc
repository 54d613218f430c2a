#include "telemetry/log_paths.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace ty::telemetry {
namespace {

const JobId kJob(std::string("c0ffee00c0ffee00c0ffee00c0ffee00"));

TEST(LogPaths, AreAsTheArchitectureSays) {
  EXPECT_EQ(log_path("/var/lib/ty", {kJob, 1, {2, 31}, 4}),
            "/var/lib/ty/logs/c0/c0ffee00c0ffee00c0ffee00c0ffee00/1.2.31.4.log");
  EXPECT_EQ(index_path("a.log"), "a.log.idx");
  EXPECT_EQ(compressed_path("a.log"), "a.log.zst");
}

RC_GTEST_PROP(LogPaths, ANameGivesItsKeyBack, ()) {
  const auto number = rc::gen::inRange(0, 100'000);
  const model::TaskKey key{random_job_id(), *number, {*number, *number}, *number};
  const std::string path = log_path("d", key);
  RC_ASSERT(parse_log_name(key.job.str(), path.substr(path.rfind('/') + 1)) == key);
}

TEST(LogPaths, ForeignNamesAreNotLogs) {
  for (const std::string_view name : {"",
                                      ".log",
                                      "0.0.0.log",
                                      "0.0.0.0.0.log",
                                      "0.0.0.0.log.idx",
                                      "00.0.0.0.log",
                                      "-1.0.0.0.log",
                                      "0.0.0.x.log",
                                      "0.0.0.0.txt",
                                      "0.0.0.99999999999.log",
                                      "0.0.0..log",
                                      "0.0.0.0..log"}) {
    EXPECT_FALSE(parse_log_name(kJob.str(), name)) << name;
  }
  EXPECT_FALSE(parse_log_name("lost+found", "0.0.0.0.log"));
}

}  // namespace
}  // namespace ty::telemetry
