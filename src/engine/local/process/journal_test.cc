#include "engine/local/process/journal.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <filesystem>
#include <fstream>

#include "engine/messages.h"
#include "engine/test_support.h"

namespace ty::engine {
namespace {

using model::Outcome;
using model::Reason;

constexpr char kWhole[] =
    "began 1000\n"
    "warning Memory is not limited.\n"
    "running 1010\n"
    "ended at=2000 exit=3 stop=0 limit=0 oom=0 memory=1024 peak=512 cpu=7 bytes=6\n";

TEST(Journal, ASuccessAWarningAndTheFiguresAreRead) {
  const JournalFacts facts = parse_journal(kWhole);
  EXPECT_TRUE(facts.has_begun);
  ASSERT_EQ(facts.warnings, std::vector{plain("Memory is not limited.")});
  EXPECT_EQ(facts.running, from_millis(1010));
  ASSERT_TRUE(facts.ended);
  EXPECT_EQ(facts.ended->at, from_millis(2000));
  EXPECT_EQ(facts.ended->exit_code, 3);
  EXPECT_EQ(facts.ended->cpu_time, 7ms);
  EXPECT_EQ(ending_of(facts).reason, Reason::Exit);
}

TEST(Journal, ALineWithoutItsNewlineDoesNotCount) {
  const std::string_view whole = kWhole;
  const JournalFacts facts = parse_journal(whole.substr(0, whole.size() - 1));
  EXPECT_FALSE(facts.ended);
  EXPECT_EQ(ending_of(facts).outcome, Outcome::Lost);
}

TEST(Journal, AnEndIsReadStrictly) {
  EXPECT_FALSE(parse_journal("began 1\nended at=2 exit=x\n").ended);
  EXPECT_FALSE(parse_journal("began 1\nended at=2\n").ended);
  EXPECT_FALSE(parse_journal("began 1\nended exit=0\n").ended);
  EXPECT_FALSE(parse_journal("began 1\nended at=2 exit=0 rubbish\n").ended);
}

TEST(Journal, WhatWeDidToItComesBeforeHowItDied) {
  const auto ending = [](const std::string& line) {
    return ending_of(parse_journal("began 1\nrunning 2\n" + line));
  };
  EXPECT_EQ(ending("ended at=9 signal=15 stop=1 limit=0 oom=0\n").outcome, Outcome::Stopped);
  EXPECT_EQ(ending("ended at=9 signal=9 stop=0 limit=1 oom=0\n").reason, Reason::TimeLimit);
  EXPECT_EQ(ending("ended at=9 signal=9 stop=0 limit=0 oom=1 memory=2048 peak=2048\n").reason,
            Reason::Oom);
  EXPECT_EQ(ending("ended at=9 signal=9 stop=0 limit=0 oom=0\n").reason, Reason::Killed);
  const model::Ending survived = ending("ended at=9 exit=0 stop=0 limit=0 oom=2 memory=1048576\n");
  EXPECT_EQ(survived.outcome, Outcome::Succeeded);
  EXPECT_NE(survived.message.text().find("2 processes"), std::string::npos) << survived.message;
}

TEST(Journal, AFailedStartKeepsItsReasonAndItsWords) {
  const JournalFacts facts = parse_journal(
      "began 1\nfailed at=5 reason=command_not_found no program is called \"x\" in PATH\n");
  const model::Ending ending = ending_of(facts);
  EXPECT_EQ(ending.reason, Reason::CommandNotFound);
  EXPECT_EQ(ending.message, say::program_not_in_path({.name = "x"}));
}

TEST(Journal, NothingThereIsNoError) {
  const JournalFacts facts = read_journal("/no/such/run");
  EXPECT_FALSE(facts.has_begun);
  EXPECT_FALSE(facts.holder);
}

RC_GTEST_PROP(Journal, CutAnywhereItClaimsNothingThatWasNotWritten, ()) {
  const std::string_view whole = kWhole;
  const auto size = *rc::gen::inRange<std::size_t>(0, whole.size() + 1);
  const JournalFacts facts = parse_journal(whole.substr(0, size));
  RC_ASSERT(facts.ended.has_value() == (size == whole.size()));
  RC_ASSERT(facts.has_begun == (size >= std::string_view("began 1000\n").size()));
}

TEST(Journal, OfAHugeFileOnlyTheEndsAreRead) {
  const testing::TempDir dir;
  const std::string run = dir.path() + "/0.0.0.0";
  testing::write_text(run + ".journal", "began 1\nrunning 2\n");
  std::filesystem::resize_file(run + ".journal", std::uintmax_t{100} << 30);
  EXPECT_TRUE(read_journal(run).has_begun);
  EXPECT_TRUE(read_journal(run).running);
  EXPECT_FALSE(read_journal(run).is_over());
  std::ofstream(run + ".journal", std::ios::app) << "\nended at=5 exit=3\n";
  ASSERT_TRUE(read_journal(run).ended);
  EXPECT_EQ(read_journal(run).ended->exit_code, 3);
}

}  // namespace
}  // namespace ty::engine
