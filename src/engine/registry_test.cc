#include "engine/registry.h"

#include <gtest/gtest.h>

#include "engine/test_support.h"

namespace ty::engine {
namespace {

TEST(Registry, AnEngineThatIsNotThereIsRefusedWithThoseThereAre) {
  config::Config config;
  config.engine = "cloud";
  const SystemClock clock;
  const auto opened = open_engine(config, {.clock = clock});
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, Errc::Invalid);
  EXPECT_NE(opened.error().message.text().find("\"cloud\""), std::string::npos);
  for (const std::string& name : engine_names())
    EXPECT_NE(opened.error().message.text().find(name), std::string::npos)
        << opened.error().message;
}

TEST(Registry, EachNameIsKnown) {
  for (const std::string& name : engine_names()) EXPECT_TRUE(check_engine(name)) << name;
  EXPECT_TRUE(check_engine(config::Config{}.engine)) << "the default is among them";
}

TEST(Registry, TheFakeEngineHasNoUseForADataDirectory) {
  config::Config config;
  config.engine = "fake";
  config.node.name = "n7";
  const SystemClock clock;
  testing::Inbox inbox;
  const auto opened = open_engine(config, {.clock = clock, .report = inbox.sink()});
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_EQ((*opened)->nodes().at(0).name, "n7");
}

}  // namespace
}  // namespace ty::engine
