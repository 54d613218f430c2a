#include "config/config.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace ty::config {
namespace {

TEST(Config, AFileFillsTheStructs) {
  Config c;
  ASSERT_TRUE(read_text(
      c,
      "http: {listen: '0.0.0.0:9', idle: 2m}\nnode:\n  cpus: 64\n  memory: 20GB\n  gpus: [A100:8]\n"
      "  labels: {zone: a}\nlogs: {keep: 30d}\n"));
  EXPECT_EQ(c.http.listen, "0.0.0.0:9");
  EXPECT_EQ(c.http.idle, 120s);
  EXPECT_EQ(c.node.cpu_milli, 64'000);
  EXPECT_EQ(c.node.memory, std::int64_t{20} << 30);
  EXPECT_EQ(c.node.gpus, std::vector<std::string>{"A100:8"});
  EXPECT_EQ(c.node.labels.at("zone"), "a");
  EXPECT_EQ(c.logs.keep, 30 * 24h);
}

TEST(Config, EveryFaultIsNamedWithItsPlace) {
  Config c;
  const auto r = read_text(c, "http:\n  listne: x\n  threads: two\nruntime: cloud\n");
  ASSERT_FALSE(r);
  ASSERT_EQ(r.error().details.size(), 3u);
  EXPECT_EQ(r.error().details[0].line, 2);
  EXPECT_EQ(r.error().details[0].message.code, "unknown_setting_near");
  EXPECT_EQ(r.error().details[1].message.text(),
            "\"two\" is not a valid whole number; write for example 2");
  EXPECT_EQ(r.error().details[2].message.text(),
            "\"cloud\" is not one of auto, docker, oci, process");
}

TEST(Config, VariablesOverrideAndOthersAreLeftAlone) {
  Config c;
  ASSERT_TRUE(read_environment(c,
                               {"TRAINYARD_HTTP__LISTEN=[::1]:0",
                                "TRAINYARD_URL=http://x",
                                "HOME=/root",
                                "TRAINYARD_NODE__GPUS=A100:2,V100:1"}));
  EXPECT_EQ(c.http.listen, "[::1]:0");
  EXPECT_EQ(c.node.gpus.size(), 2u);
  EXPECT_FALSE(read_environment(c, {"TRAINYARD_HTTP__LISTNE=x"}));
}

TEST(Config, ABrokenFileNamesLineAndColumn) {
  Config c;
  const auto r = read_text(c, "http: {listen: x\nengine: [");
  ASSERT_FALSE(r);
  EXPECT_NE(r.error().message.text().find("line 2"), std::string::npos) << r.error().message;
}

TEST(Config, TheReferencePagesAreThoseInTheDocs) {
  const std::pair<Language, std::string> pages[] = {{Language::English, "config.md"},
                                                    {Language::Chinese, "config.zh.md"}};
  for (const auto& [language, name] : pages) {
    const std::string path = TY_SOURCE_DIR "/docs/reference/" + name;
    if (std::getenv("TY_BLESS") != nullptr) std::ofstream(path) << reference_page(language);
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    EXPECT_EQ(text.str(), reference_page(language)) << "run `make bless`";
  }
}

}  // namespace
}  // namespace ty::config
