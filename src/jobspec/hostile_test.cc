#include <gtest/gtest.h>

#include <ctime>

#include "base/testing/pace.h"
#include "jobspec/read.h"

/// Files made to hurt (job-model §10): each gets an answer, in less than a second.
namespace ty::jobspec {
namespace {

struct Answer {
  std::string first;  ///< `[code] line:column: text` of the first fault; `ok` without one
  std::size_t faults = 0;
};

Answer ask(const std::string& file) {
  const std::clock_t begin = std::clock();  // our own time, not that of others
  const ReadResult result = read(file);
  EXPECT_LT(std::clock() - begin, CLOCKS_PER_SEC * kTestSlowdown) << file.substr(0, 80);
  if (result.ok()) return {"ok", 0};
  EXPECT_TRUE(result.jobs.empty());
  const Issue& issue = result.errors.front();
  return {"[" + issue.code + "] " + format_issue(issue, "f"), result.errors.size()};
}

std::string repeat(std::string_view part, std::size_t times) {
  std::string out;
  out.reserve(part.size() * times);
  for (std::size_t i = 0; i < times; ++i) out += part;
  return out;
}

TEST(HostileFiles, OverTheSizeLimitAreRefusedUnread) {
  EXPECT_EQ(ask("run: " + std::string(3'565'158, 'x')).first,
            "[too_big] f: the file has 3.4 MB, the limit is 1 MB; put code and data into mounts");
  EXPECT_EQ(ask(std::string(100'000'000, '[')).first,
            "[too_big] f: the file has 95.4 MB, the limit is 1 MB; put code and data into mounts");
}

TEST(HostileFiles, ATenMegabyteScalarIsTooBig) {
  EXPECT_EQ(ask("{\"run\": \"" + std::string(10'000'000, 'a') + "\"}").first.substr(0, 9),
            "[too_big]");
}

TEST(HostileFiles, BytesThatAreNoText) {
  EXPECT_EQ(ask(std::string("run: a\0b", 8)).first,
            "[nul] f:1:7: a NUL character cannot be passed to a program; remove it");
  EXPECT_EQ(ask("run: x\nname: a\xFF").first,
            "[encoding] f:2:8: byte 0xFF is not UTF-8; save the file as UTF-8");
  EXPECT_EQ(ask("run: x\nname: \xC3").first,
            "[encoding] f:2:7: byte 0xC3 is not UTF-8; save the file as UTF-8");
  EXPECT_EQ(ask("run: x\nname: a\x07").first,
            "[encoding] f:2:8: contains the control character U+0007; remove it");
  EXPECT_EQ(ask("run: \xED\xA0\x80").first,
            "[encoding] f:1:6: byte 0xED is not UTF-8; save the file as UTF-8");
  EXPECT_EQ(ask(std::string("\xFF\xFEr\0u\0", 6)).first,
            "[encoding] f:1:1: this is UTF-16; save the file as UTF-8");
  EXPECT_EQ(ask(std::string("r\0u\0n\0", 6)).first,
            "[encoding] f:1:1: this is UTF-16; save the file as UTF-8");
  EXPECT_EQ(
      ask(std::string("PK\x03\x04zip", 7)).first,
      "[encoding] f:1:1: this is an archive; give the job file, and the code as second argument");
  EXPECT_EQ(
      ask("\x1f\x8b\x08").first,
      "[encoding] f:1:1: this is an archive; give the job file, and the code as second argument");
  EXPECT_EQ(ask("#!/bin/sh\necho").first, "[syntax] f:1:1: this is a script; put it under run:");
}

TEST(HostileFiles, NulCannotBeSmuggledInByEscapes) {
  const std::string nul = "a NUL character cannot be passed to a program; remove it";
  EXPECT_EQ(ask("{\"run\": \"a\\u0000\"}").first, "[nul] f:1:11: " + nul);
  EXPECT_EQ(ask("run: \"a\\0\"").first, "[nul] f:1:6: " + nul);
  EXPECT_EQ(ask("run: \"a\\x00\"").first, "[nul] f:1:6: " + nul);
}

TEST(HostileFiles, EscapesGiveWholeCharacters) {
  const ReadResult result = read("run: x\ndescription: \"a\\Nb\\_c\\Ld\\u00e9\"");
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result.jobs[0].spec.description,
            "a\xC2\x85"
            "b\xC2\xA0"
            "c\xE2\x80\xA8"
            "d\xC3\xA9");
}

TEST(HostileFiles, HalfSurrogatesAreNoCharacters) {
  EXPECT_EQ(
      ask("{\"run\": \"\\ud83d\"}").first,
      "[encoding] f:1:10: half of a surrogate pair is not a character; write the character itself");
  EXPECT_EQ(
      ask("{\"run\": \"\\ude00\\ud83d\"}").first,
      "[encoding] f:1:10: half of a surrogate pair is not a character; write the character itself");
}

TEST(HostileFiles, BomAndCarriageReturnsAreHarmless) {
  EXPECT_EQ(ask("\xEF\xBB\xBFrun: x\r\nname: y\r\n").first, "ok");
  const ReadResult result = read("\xEF\xBB\xBFrun: |\r\n  a\r\n  b\r\ngpu: 1\r\n");
  ASSERT_EQ(result.errors.size(), 1U);
  EXPECT_EQ(format_issue(result.errors[0], "f"), "f:4:1: gpu: unknown key; did you mean gpus?");
  EXPECT_EQ(read("run: |\r\n  a\r\n  b\r\n").jobs.at(0).spec.roles[0].command.script, "a\nb\n");
}

TEST(HostileFiles, ATabInTheIndentationIsNamedFirst) {
  EXPECT_EQ(ask("run: x\nroles:\n  a:\n    count: 2\n  \tgpus: 1\n").first,
            "[tab] f:5:3: a tab indents this line; write 4 blanks, like the line above");
  EXPECT_EQ(ask("jobname: a\ntasks:\n\t- name: x\n").first,
            "[tab] f:3:1: a tab indents this line; write 2 blanks, two more than the line above");
  EXPECT_EQ(ask("run: |\n  make\n  \ttabs inside a block are fine\n").first, "ok");
}

TEST(HostileFiles, AQuoteMustBeClosed) {
  for (const char* file : {"run: 'x",
                           "run: 'x\n",
                           "run: \"x\n",
                           "name: a\nrun: 'it''s\n",
                           "run: \"x\\\"\n",
                           "run: &a 'x\n\n# the end\n",
                           "run: x\nlabels: [a, 'b\n",
                           "run: x\n'name: y\n"}) {
    const std::string answer = ask(file).first;
    EXPECT_TRUE(answer.starts_with("[syntax]")) << file << ": " << answer;
  }
  EXPECT_EQ(ask("name: a\nrun: 'x\n").first,
            "[syntax] f:2:6: the text is not closed; end it with its quote");
  for (const char* file : {"run: 'x'\n",
                           "run: 'it''s'\n",
                           "run: ''' '''\n",
                           "run: \"x\\\"\"\n",
                           "run: it's\n",
                           "run: &a 'x' # it's\n",
                           "run: |\n  echo 'x\n",
                           "{run: 'x', name: \"y\"}\n"}) {
    EXPECT_EQ(ask(file).first, "ok") << file;
  }
}

TEST(HostileFiles, DeepNestingStopsAtThirtyTwo) {
  const std::string flat = "; flatten it";
  EXPECT_EQ(ask("{\"x-a\":" + repeat("[", 1000) + repeat("]", 1000) + "}").first,
            "[depth] f:1:39: nested deeper than 32 levels at line 1" + flat);
  EXPECT_EQ(ask("x-a: " + repeat("[", 1000) + repeat("]", 1000)).first,
            "[depth] f:1:37: nested deeper than 32 levels at line 1" + flat);
  EXPECT_EQ(ask("x-a: " + repeat("[", 1'000'000)).first.substr(0, 1), "[");
  EXPECT_EQ(ask("x-a: " + repeat("[", 500'000) + repeat("]", 500'000)).first.substr(0, 1), "[");
  EXPECT_EQ(ask("x-a: " + repeat("{", 1'000'000)).first.substr(0, 1), "[");
  EXPECT_EQ(ask("x-a: " + repeat("{a: ", 250'000)).first.substr(0, 1), "[");
  EXPECT_EQ(ask("x-a:\n " + repeat("- ", 1000) + "1").first.substr(0, 7), "[depth]");
  EXPECT_EQ(ask(repeat("? ", 1000)).first.substr(0, 6), "[type]");
  EXPECT_EQ(ask(repeat("{", 500'000)).first.substr(0, 1), "[");
  EXPECT_EQ(ask(repeat("[", 1'000'000)).first.substr(0, 7), "[depth]");
  EXPECT_EQ(ask("{\"run\":\"x\",\"x-a\":" + repeat("[", 31) + repeat("]", 31) + "}").first, "ok");
}

TEST(HostileFiles, BillionLaughsEndEarly) {
  std::string bomb = "run: x\nx-a: &a [l, o, l]\n";
  for (char c = 'b'; c <= 'j'; ++c) {
    bomb += std::string("x-") + c + ": &" + c + " [" +
            repeat(std::string("*") + static_cast<char>(c - 1) + ", ", 9) + "*" +
            static_cast<char>(c - 1) + "]\n";
  }
  EXPECT_EQ(ask(bomb).first.substr(0, 12), "[alias_bomb]");
  EXPECT_NE(ask(bomb).first.find("expand to more than 100000 values; write them out"),
            std::string::npos);
  std::string merges = "run: x\nx-a: &a {k: v}\nx-l:\n";
  for (int i = 0; i < 2000; ++i) merges += "  - {<<: *a}\n";
  EXPECT_EQ(ask(merges).first,
            "[alias_bomb] f:1004:10: more than 1000 aliases; write the values out");
}

TEST(HostileFiles, AnAliasMayNotHoldItself) {
  EXPECT_EQ(ask("run: x\nx-a: &a [1, *a]").first,
            "[alias_loop] f:2:13: contains itself; write the value out");
  EXPECT_EQ(ask("run: x\nx-a: &a {<<: *a}").first,
            "[alias_loop] f:2:14: contains itself; write the value out");
  EXPECT_EQ(ask("run: x\nname: *nobody").first,
            "[syntax] f:2:7: no anchor has this name; define it above with &name");
}

TEST(HostileFiles, TagsAreRefused) {
  EXPECT_EQ(ask("run: !!python/object:os.system x").first,
            "[tag] f:1:6: tag !!python/object:os.system is not allowed; write plain text");
  EXPECT_EQ(ask("run: !mine x").first, "[tag] f:1:6: tag !mine is not allowed; write plain text");
  EXPECT_EQ(ask("run: !!str x\ncount: !!int 2").first, "ok");
}

TEST(HostileFiles, DuplicateKeysAreRefusedEverywhere) {
  EXPECT_EQ(ask("{\"run\": \"x\", \"run\": \"y\"}").first,
            "[duplicate_key] f:1:14: run: is written twice, first in line 1; keep one");
  std::string many = "run: x\nx-many:\n";
  for (int i = 0; i < 40'000; ++i) many += "  k" + std::to_string(i) + ": 1\n";
  EXPECT_EQ(ask(many + "  k7: 2\n").first,
            "[duplicate_key] f:40003:3: x-many.k7: is written twice, first in line 10; keep one");
  EXPECT_EQ(ask("run: x\nroles: {a: {main: true}, b: {main: true}, b: {}}").faults, 3U);
  EXPECT_EQ(ask("run: x\nx-b: &b {cpus: 1}\nroles: {a: {<<: *b, cpus: 2}}").first, "ok");
}

TEST(HostileFiles, HugeNumbersDoNotWrapAround) {
  for (const std::string_view number :
       {"18446744073709551617", "9223372036854775808", "1e19", "-9223372036854775809"}) {
    EXPECT_EQ(ask("run: x\ncount: " + std::string(number)).first.substr(0, 10), "[overflow]")
        << number;
  }
  EXPECT_EQ(ask("run: x\ncount: 1" + std::string(500'000, '0')).first.substr(0, 10), "[overflow]");
  EXPECT_EQ(ask("run: x\ncount: 0." + std::string(500'000, '0') + "1").first.substr(0, 6),
            "[type]");
  EXPECT_EQ(ask("run: x\ncpus: 0." + std::string(500'000, '0') + "1").first, "ok");
  EXPECT_EQ(ask("run: x\nmemory: 4." + std::string(500'000, '9') + "G").first, "ok");
  EXPECT_EQ(ask("run: x\ntime_limit: 99999999999999999999d").first.substr(0, 10), "[duration]");
}

TEST(HostileFiles, ManyValuesAndDocumentsEnd) {
  EXPECT_EQ(ask("{\"x-a\":[" + repeat("1,", 400'000) + "]}").first.substr(0, 7), "[range]");
  EXPECT_EQ(ask("x-a: [" + repeat("1,", 400'000) + "]").first.substr(0, 7), "[range]");
  EXPECT_EQ(ask(repeat("---\nrun: x\n", 101)).first.substr(0, 7), "[range]");
  EXPECT_EQ(ask(repeat("---\n", 200'000)).first.substr(0, 1), "[");
  EXPECT_EQ(ask(repeat("\n", 1'000'000)).first,
            "[missing] f:1:1: the file is empty; write for example run: python train.py");
  EXPECT_EQ(ask("").first,
            "[missing] f:1:1: the file is empty; write for example run: python train.py");
}

TEST(HostileFiles, LongLinesAndKeysAreNoTrouble) {
  EXPECT_EQ(ask("run: x\n" + std::string(500'000, 'k') + ": 1").first.substr(0, 8), "[syntax]");
  EXPECT_EQ(ask("run: \"" + std::string(900'000, 'a')).first.substr(0, 8), "[syntax]");
  EXPECT_EQ(ask("run: " + std::string(900'000, 'a')).first.substr(0, 7), "[range]");
  EXPECT_EQ(ask("# " + std::string(900'000, 'c') + "\nrun: x").first, "ok");
  EXPECT_EQ(ask("run: x\nx-a: " + repeat("a: ", 300'000)).first.substr(0, 8), "[syntax]");
  EXPECT_EQ(ask("run: x\nmetrics: {l: '" + repeat("(a{1000}){1000}", 10) + "'}").first.substr(0, 7),
            "[regex]");
  EXPECT_EQ(ask("run: x\nx-a: \"" + repeat("\\N", 400'000) + "\"").first, "ok");
  EXPECT_EQ(ask(repeat("/*", 500'000)).first.substr(0, 1), "[");
  EXPECT_EQ(ask("{" + repeat("/**/", 250'000)).first.substr(0, 1), "[");
  EXPECT_EQ(ask(repeat("'", 1'000'000)).first.substr(0, 1), "[");
  EXPECT_EQ(ask(repeat("a\n", 500'000)).first.substr(0, 1), "[");
  EXPECT_EQ(ask("x: |\n" + repeat(" \n", 300'000)).first.substr(0, 1), "[");
  EXPECT_EQ(ask(repeat("&a ", 300'000)).first.substr(0, 1), "[");
  EXPECT_EQ(ask(repeat("- ", 500'000)).first.substr(0, 1), "[");
  EXPECT_EQ(ask(repeat("a: b\n", 200'000)).first.substr(0, 1), "[");
  EXPECT_EQ(ask(repeat(" a:\n", 250'000)).first.substr(0, 1), "[");
}

TEST(HostileFiles, ManyRolesAndMountsAreCountedNotRead) {
  std::string roles = "run: x\nroles:\n";
  for (int i = 0; i < 20'000; ++i) roles += "  r" + std::to_string(i) + ": {}\n";
  EXPECT_EQ(ask(roles).first.substr(0, 7), "[range]");
  std::string mounts = "run: x\nmounts:\n";
  for (int i = 0; i < 20'000; ++i) mounts += "  - a:/m" + std::to_string(i) + "\n";
  EXPECT_EQ(ask(mounts).first,
            "[range] f:2:1: mounts: 20000 mounts are too many; write at most 64");
  std::string ports = "run: x\nports: [";
  for (int i = 1; i < 60'000; ++i) ports += std::to_string(i) + ",";
  EXPECT_EQ(ask(ports + "]").first,
            "[range] f:2:1: ports: 59999 port labels are too many; write at most 64");
}

TEST(HostileJson, SaysWhereItBroke) {
  EXPECT_EQ(ask("{\"run\": \"x\"").first,
            "[syntax] f:1:1: the file ends inside this map; close it with }");
  EXPECT_EQ(ask("{\"run\": \"x\" \"name\": \"y\"}").first,
            "[syntax] f:1:13: expected a comma before this; write , after the value above, or }");
  EXPECT_EQ(ask("{\"run\" \"x\"}").first,
            "[syntax] f:1:8: expected a colon after the key; write \"key\": value");
  EXPECT_EQ(ask("{\"run\": tru}").first, "ok");  // JSON it is not, but YAML
  EXPECT_EQ(ask("{\"run\": 'x', \"count\": [1, 2}").first.substr(0, 8), "[syntax]");
  EXPECT_EQ(ask("[{\"run\": \"x\"}]").first,
            "[type] f:1:1: a job file is a map of keys; this starts with a list");
  EXPECT_EQ(ask("just text").first,
            "[type] f:1:1: a job file is a map of keys; this starts with text");
}

}  // namespace
}  // namespace ty::jobspec
