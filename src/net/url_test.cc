#include "net/url.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/text.h"
#include "net/headers.h"

namespace ty::net {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

TEST(Target, SplitsAndDecodes) {
  Target target;
  ASSERT_TRUE(parse_target("/api//v1/jobs/a%2Fb%20c/?state=running&q=a+b%26&flag&=x&", target));
  EXPECT_EQ(target.path, "/api//v1/jobs/a%2Fb%20c/");
  EXPECT_EQ(target.segments, (std::vector<std::string>{"api", "v1", "jobs", "a/b c"}));
  EXPECT_EQ(target.query, (Pairs{{"state", "running"}, {"q", "a b&"}, {"flag", ""}, {"", "x"}}));
}

TEST(Target, ReusesItsMemoryWithoutMixingRequests) {
  Target target;
  ASSERT_TRUE(parse_target("/a/b/c?x=1", target));
  ASSERT_TRUE(parse_target("/d", target));
  EXPECT_EQ(target.segments, (std::vector<std::string>{"d"}));
  EXPECT_TRUE(target.query.empty());
  ASSERT_TRUE(parse_target("/", target));
  EXPECT_TRUE(target.segments.empty());
}

TEST(Target, TakesTheAbsoluteFormAndChinese) {
  Target target;
  ASSERT_TRUE(parse_target("http://host:80/jobs/%E4%BB%BB%E5%8A%A1?名=值", target));
  EXPECT_EQ(target.segments, (std::vector<std::string>{"jobs", "任务"}));
  EXPECT_EQ(target.query, (Pairs{{"名", "值"}}));
  ASSERT_TRUE(parse_target("http://host", target));
  EXPECT_EQ(target.path, "/");
}

TEST(Target, RefusesWhatCouldLeadAstray) {
  Target target;
  for (const char* bad : {"",
                          "jobs",
                          "/a/../b",
                          "/a/%2e%2E/b",
                          "/./a",
                          "/a%00b",
                          "/a%0Ab",
                          "/a%zz",
                          "/a%2",
                          "/a%",
                          "/%ff",
                          "/%ed%a0%80",
                          "/ok?x=%00",
                          "/ok?x=%",
                          "*",
                          "mailto:x"}) {
    EXPECT_FALSE(parse_target(bad, target)) << bad;
  }
}

TEST(Target, LetsLineBreaksIntoAQueryOnly) {
  Target target;
  EXPECT_TRUE(parse_target("/logs?grep=a%0Ab", target));
  EXPECT_FALSE(parse_target("/logs%0Ax", target));
}

RC_GTEST_PROP(Target, EncodedTextComesBackAsItWas, ()) {
  const auto letters =
      std::vector<std::string>{"a", "%", "+", "&", "=", "/", " ", "\"", "任", "ü", "?", "#", "~"};
  std::string text;
  for (const auto& letter :
       *rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(letters)))
    text += letter;
  RC_ASSERT(percent_decode(percent_encode(text)) == text);
  const auto parsed = parse_query(make_query({{"k", text}}).substr(1));
  RC_ASSERT(parsed.has_value());
  RC_ASSERT(*parsed == (Pairs{{"k", text}}));
}

TEST(Headers, CompareNamesWithoutCaseAndKeepOrder) {
  Headers headers;
  headers.add("Content-Type", "a");
  headers.add("X-A", "1");
  headers.add("x-a", "2");
  EXPECT_EQ(headers.get("CONTENT-TYPE"), "a");
  EXPECT_EQ(headers.get("x-A"), "1");
  EXPECT_EQ(headers.count("X-a"), 2u);
  headers.set("X-A", "3");
  EXPECT_EQ(headers.count("X-a"), 1u);
  EXPECT_EQ(headers.get("X-A"), "3");
  EXPECT_EQ(headers.get("missing"), "");
  headers.remove("content-type");
  EXPECT_EQ(headers.size(), 1u);
}

TEST(Headers, ValuesCannotSmuggleInALine) {
  Headers headers;
  headers.add("Location", std::string_view("/a\r\nSet-Cookie: x\0y", 20));
  EXPECT_EQ(headers.get("Location").find_first_of("\r\n"), std::string_view::npos);
  EXPECT_EQ(headers.get("Location").find('\0'), std::string_view::npos);
}

TEST(Headers, FindTokensInLists) {
  Headers headers;
  headers.add("Connection", "keep-alive, Upgrade");
  headers.add("Accept-Encoding", "gzip;q=0.5 , zstd");
  EXPECT_TRUE(headers.has_token("connection", "upgrade"));
  EXPECT_TRUE(headers.has_token("accept-encoding", "gzip"));
  EXPECT_TRUE(headers.has_token("accept-encoding", "zstd"));
  EXPECT_FALSE(headers.has_token("connection", "up"));
}

}  // namespace
}  // namespace ty::net
