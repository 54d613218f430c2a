#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "jobspec/print.h"
#include "jobspec/read.h"
#include "model/spec_json.h"

/// A secret in a job file is known to nobody but the task.
namespace ty::jobspec {
namespace {

const std::string kHead =
    "protocolVersion: 2\nname: a\ntype: job\n"
    "prerequisites: [{type: dockerimage, name: i, uri: u}]\n"
    "taskRoles: {m: {dockerImage: i, resourcePerInstance: {cpu: 1, memoryMB: 100, gpu: 0}, "
    "commands: [\"echo <% $secrets.key %>\"]}}\n";

std::string covered(const std::string& text) {
  const ReadResult result = read(text);
  EXPECT_TRUE(result.ok()) << format_issue(result.errors.front(), "f");
  return cover(text, result.secret_ranges);
}

class SecretsOf : public testing::TestWithParam<const char*> {};

TEST_P(SecretsOf, AreCoveredWhereverTheyStand) {
  const std::string text = kHead + GetParam() + "extras: {a: 1}\n";
  const ReadResult result = read(text);
  ASSERT_TRUE(result.ok()) << format_issue(result.errors.front(), "f");
  ASSERT_FALSE(result.jobs[0].secrets.empty());
  const std::string shown = cover(text, result.secret_ranges);
  EXPECT_EQ(shown.find("hunter22"), std::string::npos) << shown;
  EXPECT_NE(shown.find("extras: {a: 1}"), std::string::npos) << shown;
  EXPECT_EQ(model::to_json(result.jobs[0].spec).find("hunter22"), std::string::npos);
  for (const model::Dialect to : {model::Dialect::OpenPaiV2, model::Dialect::Native})
    EXPECT_EQ(print(result.jobs[0].spec, to).text.find("hunter22"), std::string::npos);

  // What is shown can be filled in again, and says so when it is not.
  const ReadResult again = read(shown);
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(again.errors.front().code, "secret") << shown;
}

INSTANTIATE_TEST_SUITE_P(
    Spellings,
    SecretsOf,
    testing::Values("secrets: {key: hunter22}\n",
                    "secrets: {key: 'hunter22', b: {c: [1, \"x}hunter22\"]}}\n",
                    "secrets:\n  key: hunter22\n",
                    "secrets:\n  key: \"hunter22\"   # hunter22 it is\n",
                    "secrets:\n  key: |\n    hunter22\n    second\n\n    third\n",
                    "secrets:\n  key: >-\n    hunter22\n    second\n",
                    "secrets:\n# hunter22\n  key: hunter22\n",
                    "secrets:\n  list:\n  - hunter22\n  - b\n  key: c\n",
                    "secrets:\n  key: hunter22 and\n    more hunter22\n"));

TEST(Cover, JsonIsCoveredToo) {
  const std::string text =
      R"({"protocolVersion": 2, "name": "a", "type": "job", "secrets": {"key": "hunter22"},
          "prerequisites": [{"type": "dockerimage", "name": "i", "uri": "u"}],
          "taskRoles": {"m": {"dockerImage": "i", "commands": ["true"],
                              "resourcePerInstance": {"cpu": 1, "memoryMB": 100, "gpu": 0}}}})";
  const std::string shown = covered(text);
  EXPECT_EQ(shown.find("hunter22"), std::string::npos) << shown;
  EXPECT_NE(shown.find(R"("secrets": "******",)"), std::string::npos) << shown;
}

TEST(Cover, AnAnchorIsCoveredWhereItWasWritten) {
  const std::string text = kHead + "extras: {note: &k hunter22}\nsecrets: {key: *k}\n";
  EXPECT_EQ(covered(text).find("hunter22"), std::string::npos) << covered(text);
}

TEST(Cover, RegistryPasswordsAreSecrets) {
  std::string text = kHead;
  text.replace(text.find("uri: u"), 6, "uri: u, auth: {username: ann, password: hunter22}");
  EXPECT_EQ(covered(text).find("hunter22"), std::string::npos) << covered(text);
  EXPECT_NE(covered(text).find("username: ann"), std::string::npos);
}

TEST(Cover, AFileWithoutSecretsIsShownAsItIs) {
  const std::string text = "\xEF\xBB\xBF" + kHead + "secrets: {}\n";
  EXPECT_EQ(covered(text), text);
}

TEST(Cover, AByteOrderMarkMovesNothing) {
  const std::string text = "\xEF\xBB\xBF" + kHead + "secrets: {key: hunter22}\nextras: {}\n";
  EXPECT_NE(covered(text).find("secrets: \"******\"\nextras: {}\n"), std::string::npos)
      << covered(text);
}

TEST(Cover, FaultsNeverQuoteASecret) {
  const std::string text = kHead + "secrets: hunter22\n";
  const ReadResult result = read(text);
  ASSERT_FALSE(result.ok());
  for (const Issue& issue : result.errors)
    EXPECT_EQ(format_issue(issue, "f").find("hunter22"), std::string::npos);
}

}  // namespace
}  // namespace ty::jobspec
