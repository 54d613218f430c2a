#include "engine/local/process/recycler.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "engine/test_support.h"

namespace ty::engine {
namespace {

namespace fs = std::filesystem;
using testing::eventually;
using testing::TempDir;
using testing::write_text;

class RunFolders : public ::testing::Test {
 protected:
  std::string run_dir(const std::string& job, const std::string& name = "0.0.0.0") const {
    return runs_ + "/ab/" + job + "/" + name;
  }
  /// What a task of no interest leaves behind.
  void make(const std::string& path) {
    ASSERT_TRUE(recycler_.make(path));
    fs::create_directories(path + "/work");
    write_text(path + "/command.sh", "true\n");
    write_text(path + ".launch", "x");
    write_text(path + ".journal", "began 1\n");
  }
  static ino_t inode(const std::string& path) {
    struct stat info = {};
    ::stat(path.c_str(), &info);
    return info.st_ino;
  }
  bool nothing_aside() const { return fs::is_empty(runs_ + "/.aside"); }

  TempDir dir_;
  const std::string runs_ = dir_.path() + "/runs";
  Recycler recycler_{runs_};
};

TEST_F(RunFolders, AnEmptyOneIsUsedAgainForAnotherTask) {
  make(run_dir("one"));
  const ino_t first = inode(run_dir("one"));
  ASSERT_TRUE(recycler_.remove(run_dir("one")));
  EXPECT_FALSE(fs::exists(runs_ + "/ab/one"));
  make(run_dir("two", "0.3.1.2"));
  EXPECT_EQ(inode(run_dir("two", "0.3.1.2")), first);
  EXPECT_EQ(std::distance(fs::directory_iterator(runs_ + "/ab/two"), {}), 3)
      << "folder, launch, journal";
}

TEST_F(RunFolders, WhatATaskLeftInItNeverReachesAnother) {
  for (const char* left : {"/work/model.bin", "/data/x", "/work/deep/er/file"}) {
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

TEST_F(RunFolders, OneWithOtherRightsIsNotUsedAgain) {
  make(run_dir("one"));
  ASSERT_EQ(::chmod((run_dir("one") + "/work").c_str(), 0777), 0);
  ASSERT_TRUE(recycler_.remove(run_dir("one")));
  make(run_dir("two"));
  EXPECT_NE(fs::status(run_dir("two") + "/work").permissions(), fs::perms::all);
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
