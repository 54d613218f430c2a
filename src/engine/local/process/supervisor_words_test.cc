#include "engine/local/process/supervisor_words.h"

#include <gtest/gtest.h>

#include "engine/messages.h"

namespace ty::engine {
namespace {

TEST(SupervisorWords, FaultsBecomeMessages) {
  EXPECT_EQ(fault_of("no program is called \"pyhton\" in PATH"),
            say::program_not_in_path({.name = "pyhton"}));
  EXPECT_EQ(fault_of("/bin/x is not a program that may be executed"),
            say::program_not_executable({.program = "/bin/x"}));
  EXPECT_EQ(fault_of("cannot change to the working directory /a: b: Permission denied"),
            say::workdir_unusable({.path = "/a: b", .why = "Permission denied"}));
  EXPECT_EQ(fault_of("cannot mount at /data: Invalid argument"),
            say::mount_failed({.path = "/data", .why = "Invalid argument"}));
  EXPECT_EQ(fault_of("the image has neither bash nor /bin/sh to run a script with; write run: "
                     "[program, argument]"),
            say::image_without_shells());
}

TEST(SupervisorWords, AStepOfTheSandboxKeepsTheKernelsWords) {
  EXPECT_EQ(fault_of("cannot mount /proc: Operation not permitted").text(),
            "cannot start the task: cannot mount /proc: Operation not permitted");
}

TEST(SupervisorWords, WhatIsNotKnownPassesAsItIs) {
  EXPECT_EQ(fault_of("something of another version"), plain("something of another version"));
  EXPECT_EQ(warning_of("{not json"), plain("{not json"));
  EXPECT_TRUE(fault_of("").empty());
}

TEST(SupervisorWords, WarningsComeBackAsTheyWere) {
  const Message own = warning_of("CPU is not limited: no cpu cgroup can be made here.");
  EXPECT_EQ(own, say::cpu_not_limited());
  const Message warning = say::image_used_as_it_is(
      {.why = say::cannot_pull({.image = "x:1", .why = plain("line\nbreak \"quoted\"")})});
  const std::string line = carried(warning);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  EXPECT_EQ(warning_of(line), warning);
}

TEST(SupervisorWords, AWarningTooLongForItsLineGoesAsText) {
  const Message warning = say::image_used_as_it_is({.why = std::string(2000, 'x')});
  const std::string line = carried(warning);
  EXPECT_LT(line.size(), 580u);
  EXPECT_TRUE(
      warning_of(line).text().starts_with("Using the copy of the image on this machine: x"));
}

}  // namespace
}  // namespace ty::engine
