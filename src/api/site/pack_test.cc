#include "api/site/pack.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace ty::api::site {
namespace {

TEST(PagePack, OursHasItsDocumentsAndTheFilesTheyName) {
  const PagePack& pack = page_pack();
  for (const std::string_view name : {"index.html", "signin.html"}) {
    const PageFile* document = pack.find(name);
    ASSERT_NE(document, nullptr) << name;
    const Result<std::string> html = document->plain();
    ASSERT_TRUE(html) << name;
    EXPECT_NE(html->find("@NONCE@"), std::string::npos) << "scripts and styles need the mark";
    int named = 0;
    for (std::size_t at = 0; (at = html->find("\"/assets/", at)) != std::string::npos; ++at) {
      const std::size_t end = html->find('"', at + 1);
      const std::string file = html->substr(at + 2, end - at - 2);
      EXPECT_NE(pack.find(file), nullptr) << file;
      ++named;
    }
    EXPECT_GT(named, 0);
  }
  EXPECT_EQ(pack.find("assets/none.js"), nullptr);
  EXPECT_EQ(pack.find(""), nullptr);
}

TEST(PagePack, EveryFileUnpacksToItsSize) {
  for (const PageFile& file : page_pack().files()) {
    const Result<std::string> plain = file.plain();
    ASSERT_TRUE(plain) << file.name;
    EXPECT_EQ(plain->size(), file.size) << file.name;
    EXPECT_FALSE(file.brotli.empty()) << file.name;
  }
}

TEST(PagePack, DamageIsNoticed) {
  const std::string good = "trainyard-page 1\na.js\ttext/javascript\t3\t2\t1\n\nbbg";
  ASSERT_TRUE(PagePack::read(good));
  EXPECT_EQ(PagePack::read(good)->find("a.js")->gzip, "g");
  EXPECT_FALSE(PagePack::read(""));
  EXPECT_FALSE(PagePack::read("something else\n\n"));
  EXPECT_FALSE(PagePack::read(good + "more"));
  EXPECT_FALSE(PagePack::read(good.substr(0, good.size() - 1)));
  EXPECT_FALSE(PagePack::read("trainyard-page 1\na.js\ttext/javascript\t3\tx\t1\n\nbbg"));
  EXPECT_FALSE(PagePack::read(good)->find("a.js")->plain()) << "one byte is no gzip";
}

}  // namespace
}  // namespace ty::api::site
