#include <gtest/gtest.h>

#include <ctime>

#include "base/testing/pace.h"
#include "jobspec/impl/dialect.h"
#include "jobspec/print.h"
#include "jobspec/read.h"
#include "model/words.h"

/// The traps of hostile_test.cc laid inside each dialect, so that its own reader has to walk into
/// them.
namespace ty::jobspec {
namespace {

struct Sample {
  model::Dialect dialect;
  std::string head;  ///< what makes the file this dialect
  std::string hole;  ///< `key: ` of a place where anything may be tried
};

const std::vector<Sample>& samples() {
  using model::Dialect;
  static const std::vector<Sample> kAll = {
      {Dialect::Native, "name: a\nrun: x\n", "extras: "},
      {Dialect::OpenPaiV1,
       "jobName: a\nimage: b\ntaskRoles: [{name: w, command: x}]\n",
       "extras: "},
      {Dialect::OpenPaiV2,
       "protocolVersion: 2\nname: a\ntype: job\n"
       "prerequisites: [{type: dockerimage, name: i, uri: u}]\n"
       "taskRoles: {w: {dockerImage: i, commands: [x], resourcePerInstance: {cpu: 1, memoryMB: 99, "
       "gpu: 0}}}\n",
       "parameters: "},
      {Dialect::Ffdl,
       "name: a\ncpus: 1\nmemory: 1GB\nframework: {name: t, version: '1', command: x}\n",
       "data_stores: "},
      {Dialect::GpuManager, "jobname: a\ntasks: [{name: w, image: i, command: x}]\n", "more: "},
      {Dialect::Volcano,
       "apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata: {name: a}\n",
       "spec: "},
      {Dialect::Pumpkin, "name: a\nimageUrl: i\nconfig: [{command: x}]\n", "mounts: "},
  };
  return kAll;
}

ReadResult quickly(const std::string& file) {
  const std::clock_t begin = std::clock();  // our own time, not that of others
  ReadResult result = read(file);
  EXPECT_LT(std::clock() - begin, 2 * CLOCKS_PER_SEC * kTestSlowdown) << file.substr(0, 80);
  return result;
}

class Hostile : public testing::TestWithParam<Sample> {};

TEST_P(Hostile, TheSampleIsOfItsFormat) {
  const ReadResult result = quickly(GetParam().head);
  ASSERT_TRUE(result.dialect);
  EXPECT_EQ(*result.dialect, GetParam().dialect);
}

TEST_P(Hostile, AliasBombsEndEarly) {
  std::string bomb = "x-a: &a0 [y, y, y, y, y, y, y, y, y, y]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    bomb += "x-" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before;
    for (int k = 0; k < 9; ++k) bomb += ", " + before;
    bomb += "]\n";
  }
  EXPECT_FALSE(quickly(bomb + GetParam().head + GetParam().hole + "*a11\n").ok());
}

TEST_P(Hostile, DeepNestingIsRefusedWithItsPlace) {
  for (const char* pair : {"[]", "{}"}) {
    std::string deep;
    for (int i = 0; i < 1000; ++i) deep += pair[0] == '[' ? "[" : "{a: ";
    for (int i = 0; i < 1000; ++i) deep += pair[1];
    const ReadResult result = quickly(GetParam().head + GetParam().hole + deep + "\n");
    ASSERT_FALSE(result.ok());
    EXPECT_GT(result.errors.front().line, 1);
  }
}

TEST_P(Hostile, ATenMegabyteScalarIsRefusedUnread) {
  const ReadResult result =
      quickly(GetParam().head + GetParam().hole + std::string(10'000'000, 'x'));
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.errors.front().code, "too_big");
}

TEST_P(Hostile, AScalarThatJustFitsIsReadInTime) {
  quickly(GetParam().head + GetParam().hole + std::string(1'000'000, 'x') + "\n");
  quickly(GetParam().head + GetParam().hole + "\"" + std::string(1'000'000, '\\') + "\"\n");
}

TEST_P(Hostile, BytesThatAreNoTextAreNamed) {
  const ReadResult result = quickly(GetParam().head + GetParam().hole + "a\xFF\n");
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.errors.front().code, "encoding");
  EXPECT_NE(result.errors.front().message.text().find("0xFF"), std::string::npos);
}

TEST_P(Hostile, ATabSaysWhatToType) {
  const ReadResult result = quickly(GetParam().head + "more:\n\tkey: 1\n");
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.errors.front().code, "tab");
  EXPECT_NE(result.errors.front().message.text().find("blanks"), std::string::npos);
}

/// The same job, and the same faults, whatever the editor put at the ends of its lines.
TEST_P(Hostile, WindowsLineEndsAndAByteOrderMarkMeanNothing) {
  std::string windows = "\xEF\xBB\xBF";
  for (const char c : GetParam().head) {
    if (c == '\n') windows += '\r';
    windows += c;
  }
  const ReadResult plain = quickly(GetParam().head), marked = quickly(windows);
  EXPECT_EQ(plain.ok(), marked.ok());
  ASSERT_EQ(plain.jobs.size(), marked.jobs.size());
  for (std::size_t i = 0; i < plain.jobs.size(); ++i)
    EXPECT_TRUE(plain.jobs[i].spec == marked.jobs[i].spec);
  EXPECT_EQ(plain.errors.size(), marked.errors.size());
}

TEST_P(Hostile, EveryKeyMayHoldNonsense) {
  for (const std::string_view key : entry_of(GetParam().dialect).keys()) {
    for (const char* value : {"null",
                              "[]",
                              "{}",
                              "''",
                              "-1",
                              "99999999999999999999",
                              "[[]]",
                              "{a: {b: [c]}}",
                              "true",
                              "[1, x, {}]",
                              "{'': ''}",
                              "'*'",
                              "[{name: 1, name2: [2]}]"}) {
      const std::string file = "{" + std::string(key) + ": " + value + "}";
      ReadOptions options;
      options.dialect = GetParam().dialect;
      const ReadResult result = read(file, options);
      for (const ReadJob& job : result.jobs) (void)print(job.spec, GetParam().dialect);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Dialects, Hostile, testing::ValuesIn(samples()), [](const auto& info) {
  std::string name(model::to_word(info.param.dialect));
  std::erase(name, '-');
  return name;
});

}  // namespace
}  // namespace ty::jobspec
