#include "engine/local/process/recycler.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
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
    ASSERT_TRUE(recycler_.make(path, {"command.sh", "etc/", "etc/main.host", "work/"}));
    fs::create_directories(path + "/work");
    ASSERT_TRUE(write_file(path + "/command.sh", script, 0644));
    ASSERT_TRUE(write_file(path + "/etc/main.host", "127.0.0.1\n", 0644));
    ASSERT_TRUE(replace_small_file(path + ".launch", "x", 0600));
    ASSERT_FALSE(read_journal(path).has_begun);
    write_text(path + ".journal", "began 1\n");
  }
  /// What a supervisor does with its journal.
  static void supervisor_lock(const std::string& path) {
    struct flock lock = {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    lock.l_len = 1;
    const int fd = ::open((path + ".journal").c_str(), O_RDWR);
    ::fcntl(fd, F_SETLK, &lock);
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

TEST_F(RunFolders, OneLeftAsItWasMadeIsUsedAgainForATaskThatNeedsTheSame) {
  make(run_dir("one"), "a long script of the first task\n");
  const ino_t folder = inode(run_dir("one"));
  const ino_t script = inode(run_dir("one") + "/command.sh");
  const ino_t launch = inode(run_dir("one") + ".launch");
  ASSERT_TRUE(recycler_.remove(run_dir("one")));
  EXPECT_FALSE(fs::exists(runs_ + "/ab/one"));
  make(run_dir("two"));
  EXPECT_EQ(inode(run_dir("two")), folder);
  EXPECT_EQ(inode(run_dir("two") + "/command.sh"), script);
  EXPECT_EQ(inode(run_dir("two") + ".launch"), launch);
  EXPECT_EQ(read_text(run_dir("two") + "/command.sh"), "true\n");
  EXPECT_EQ(std::distance(fs::directory_iterator(runs_ + "/ab/two"), {}), 3)
      << "folder, launch, journal";
}

TEST_F(RunFolders, ATaskWithOtherFilesSeesNoneOfAnother) {
  make(run_dir("one"));
  ASSERT_TRUE(recycler_.remove(run_dir("one")));
  ASSERT_TRUE(recycler_.make(run_dir("two"), {"work/"}));
  EXPECT_TRUE(fs::is_empty(run_dir("two")));
  ASSERT_TRUE(recycler_.make(run_dir("three")));
  EXPECT_TRUE(fs::is_empty(run_dir("three")));
}

TEST_F(RunFolders, AFileThatIsKnownElsewhereIsNotWrittenForAnother) {
  make(run_dir("one"));
  fs::create_hard_link(run_dir("one") + "/command.sh", dir_.path() + "/elsewhere");
  ASSERT_TRUE(recycler_.remove(run_dir("one")));
  make(run_dir("two"), "for the second only\n");
  EXPECT_EQ(read_text(dir_.path() + "/elsewhere"), "true\n");
  fs::remove(run_dir("two") + "/command.sh");
  fs::create_symlink(dir_.path() + "/elsewhere", run_dir("two") + "/command.sh");
  ASSERT_TRUE(recycler_.remove(run_dir("two")));
  make(run_dir("three"), "for the third only\n");
  EXPECT_EQ(read_text(dir_.path() + "/elsewhere"), "true\n");
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

TEST_F(RunFolders, OneWithOtherRightsIsNotUsedAgain) {
  make(run_dir("one"));
  ASSERT_EQ(::chmod((run_dir("one") + "/work").c_str(), 0777), 0);
  ASSERT_TRUE(recycler_.remove(run_dir("one")));
  make(run_dir("two"));
  EXPECT_NE(fs::status(run_dir("two") + "/work").permissions(), fs::perms::all);
}

TEST_F(RunFolders, OneWhoseSupervisorStillLivesIsNotUsedAgain) {
  make(run_dir("one"));
  const pid_t holder = ::fork();
  if (holder == 0) {
    supervisor_lock(run_dir("one"));
    ::pause();
  }
  ASSERT_TRUE(eventually([&] { return read_journal(run_dir("one")).holder == holder; }));
  const ino_t first = inode(run_dir("one") + ".journal");
  const int journal = ::open((run_dir("one") + ".journal").c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_TRUE(recycler_.remove(run_dir("one")));
  make(run_dir("two"));
  EXPECT_NE(inode(run_dir("two") + ".journal"), first);
  ::close(journal);  // until here nobody else could have its number
  ::kill(holder, SIGKILL);
  ::waitpid(holder, nullptr, 0);
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
