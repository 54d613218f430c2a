#include "control/data_dir.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

namespace ty::control {
namespace {

struct Folder {
  std::string path = (std::filesystem::temp_directory_path() / "ty-data-XXXXXX").string();
  Folder() { path = ::mkdtemp(path.data()); }
  ~Folder() { std::filesystem::remove_all(path); }
};

TEST(DataDir, ASecondServerIsRefusedAtOnceAndToldWhoHasIt) {
  const Folder folder;
  const auto first = DataDir::open(folder.path);
  ASSERT_TRUE(first);
  const auto second = DataDir::open(folder.path);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Errc::Conflict);
  EXPECT_NE(second.error().message.text().find("pid " + std::to_string(::getpid())),
            std::string::npos);
}

TEST(DataDir, WhatAKilledServerWasJustBeginningIsWaitedFor) {
  const Folder folder;
  const pid_t server = ::fork();
  if (server == 0) {
    const auto dir = DataDir::open(folder.path);
    if (!dir) ::_exit(1);
    if (::fork() == 0) {  // its child has the lock too, for a moment longer
      ::usleep(300'000);
      ::_exit(0);
    }
    ::_exit(0);
  }
  int status = 1;
  ASSERT_EQ(::waitpid(server, &status, 0), server);
  ASSERT_EQ(status, 0);
  const auto again = DataDir::open(folder.path);
  EXPECT_TRUE(again) << again.error().message;
}

}  // namespace
}  // namespace ty::control
