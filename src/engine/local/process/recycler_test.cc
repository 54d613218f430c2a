#include "engine/local/process/recycler.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "engine/local/process/journal.h"
#include "engine/local/process/run_folder.h"
#include "engine/test_support.h"

namespace ty::engine {
namespace {

namespace fs = std::filesystem;
using testing::eventually;
using testing::read_text;
using testing::TempDir;
using testing::write_text;

class RunFolders : public ::testing::Test {
 protected:
  std::string run_dir(const std::string& job, const std::string& name = "0.0.0.0") const {
    return runs_ + "/ab/" + job + "/" + name;
  }
  /// What a task of no interest leaves behind.
  void make(const std::string& path, const std::string& script = "true\n") {
    ASSERT_TRUE(recycler_.make(path));
    fs::create_directories(path + "/work");
    ASSERT_TRUE(write_file(path + "/command.sh", script, 0644));
    ASSERT_TRUE(write_file(path + "/etc/main.host", "127.0.0.1\n", 0644));
    ASSERT_TRUE(replace_small_file(path + ".launch", "x", 0600));
    ASSERT_FALSE(read_journal(path).has_begun);
    write_text(path + ".journal", "began 1\n");
  }
  bool nothing_aside() const { return fs::is_empty(runs_ + "/.aside"); }

  TempDir dir_;
  const std::string runs_ = dir_.path() + "/runs";
  Recycler recycler_{runs_};
};

TEST_F(RunFolders, NothingThatATaskCouldOpenIsUsedAgain) {
  make(run_dir("one"));
  const int kept = ::open(run_dir("one").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const int work = ::open((run_dir("one") + "/work").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  ASSERT_TRUE(recycler_.remove(run_dir("one")));
  EXPECT_FALSE(fs::exists(runs_ + "/ab/one"));
  make(run_dir("two"));
  ::mkdirat(kept, "mine", 0755);
  ::mkdirat(work, "mine", 0755);
  EXPECT_FALSE(fs::exists(run_dir("two") + "/mine"));
  EXPECT_TRUE(fs::is_empty(run_dir("two") + "/work"));
  ::close(kept);
  ::close(work);
}

TEST_F(RunFolders, WhatATaskLeftInItNeverReachesAnother) {
  for (const char* left : {"/work/model.bin", "/data/x", "/work/deep/er/file", "/etc/x", "/x"}) {
    make(run_dir("one"));
    write_text(run_dir("one") + left, "secret");
    ASSERT_TRUE(recycler_.remove(run_dir("one")));
    EXPECT_FALSE(fs::exists(runs_ + "/ab/one"));
    make(run_dir("two"));
    EXPECT_FALSE(fs::exists(run_dir("two") + left));
    ASSERT_TRUE(recycler_.remove(run_dir("two")));
  }
  EXPECT_TRUE(eventually([&] { return nothing_aside(); }));
}

TEST_F(RunFolders, TasksOfOneJobDoNotDisturbEachOther) {
  make(run_dir("job", "0.0.0.0"));
  make(run_dir("job", "0.0.1.0"));
  ASSERT_TRUE(recycler_.remove(run_dir("job", "0.0.0.0")));
  EXPECT_TRUE(fs::exists(run_dir("job", "0.0.1.0")));
  EXPECT_TRUE(fs::exists(run_dir("job", "0.0.1.0") + ".journal"));
  ASSERT_TRUE(recycler_.remove(run_dir("job", "0.0.1.0")));
  EXPECT_FALSE(fs::exists(runs_ + "/ab/job"));
}

TEST_F(RunFolders, RemovingOrMakingTwiceIsFine) {
  ASSERT_TRUE(recycler_.make(run_dir("one")));
  ASSERT_TRUE(recycler_.make(run_dir("one")));
  ASSERT_TRUE(recycler_.remove(run_dir("one")));
  ASSERT_TRUE(recycler_.remove(run_dir("one")));
}

TEST_F(RunFolders, LeftoversOfAnEarlierServerGo) {
  write_text(runs_ + "/.aside/17/work/file", "old");
  write_text(runs_ + "/.spare/18/run/x", "old");
  const Recycler next(runs_);
  EXPECT_TRUE(eventually([&] { return nothing_aside() && fs::is_empty(runs_ + "/.spare"); }));
}

}  // namespace
}  // namespace ty::engine
