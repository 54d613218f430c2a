#include "base/text.h"

#include <gtest/gtest.h>

#include "base/ids.h"
#include "base/json_text.h"
#include "base/time.h"

namespace ty {
namespace {

TEST(Text, ShortenCountsCharactersNotBytes) {
  EXPECT_EQ(shorten("训练任务", 2), "训练…");
  EXPECT_EQ(shorten("训练任务", 4), "训练任务");
}

TEST(Text, InvalidUtf8NamesTheByte) {
  EXPECT_EQ(invalid_utf8("plain 训练"), std::string_view::npos);
  EXPECT_EQ(invalid_utf8("ab\xff"), 2u);
  EXPECT_EQ(invalid_utf8("\xed\xa0\x80"), 0u);  // a lone surrogate
  EXPECT_EQ(invalid_utf8("\xe8\xae"), 0u);      // cut short
  EXPECT_EQ(invalid_utf8("\xc0\x80"), 0u);      // overlong NUL
}

TEST(Text, ClosestSuggestsOnlyWhatIsNear) {
  EXPECT_EQ(closest("gpu", {"gpus", "cpus", "memory"}), "gpus");
  EXPECT_EQ(closest("banana", {"gpus", "cpus", "memory"}), "");
}

TEST(Text, ShellQuoteSurvivesTheShell) {
  EXPECT_EQ(shell_quote("a/b.py"), "a/b.py");
  EXPECT_EQ(shell_quote("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_quote(""), "''");
}

TEST(Time, Rfc3339RoundTrips) {
  const Time t = from_millis(1'763'188'740'123);
  EXPECT_EQ(parse_rfc3339(to_rfc3339(t)).value(), t);
  EXPECT_EQ(to_rfc3339(from_millis(0)), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(to_rfc3339(from_millis(-1)), "1969-12-31T23:59:59.999Z");
  EXPECT_EQ(to_rfc3339(from_millis(1'709'208'061'007)), "2024-02-29T12:01:01.007Z");
  EXPECT_EQ(to_rfc3339(Time::max()), "9999-12-31T23:59:59.999Z") << "more digits are no time";
  EXPECT_EQ(parse_rfc3339("2026-11-15T08:00:00+08:00").value(),
            parse_rfc3339("2026-11-15T00:00:00Z").value());
  EXPECT_FALSE(parse_rfc3339("2026-02-30T00:00:00Z"));
  EXPECT_FALSE(parse_rfc3339("2026-11-15"));
}

TEST(Time, DurationsNeedAUnitAndOrder) {
  EXPECT_EQ(parse_duration("1h30m").value(), 90min);
  EXPECT_EQ(format_duration(parse_duration("7d").value()), "7d");
  for (const char* bad : {"", "90", "2 hours", "30m1h", "-1s", "1h1h", "99999999999999999d"}) {
    EXPECT_FALSE(parse_duration(bad)) << bad;
  }
}

TEST(JsonText, WhatNeedsNoEscapeIsFoundByteForByte) {
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    const bool plain = byte >= 0x20 && c != '"' && c != '\\' && byte != 0x7F;
    for (std::size_t at = 0; at < 19; ++at) {
      std::string text(19, '\xe8');  // beyond ASCII is plain too
      text[at] = c;
      EXPECT_EQ(plain_json_prefix(text), plain ? text.size() : at) << byte << " at " << at;
    }
  }
}

TEST(JsonText, EscapesStandBetweenPlainRuns) {
  std::string out;
  append_json_string(out, "a \"quoted\" C:\\path\nnext\tline\x01\x7f, 训练");
  EXPECT_EQ(out, R"("a \"quoted\" C:\\path\nnext\tline\u0001\u007f, 训练")");
}

TEST(Ids, JobIdsHaveTheirShape) {
  for (int i = 0; i < 200; ++i) EXPECT_TRUE(looks_like_job_id(random_job_id().str()));
  EXPECT_NE(random_job_id(), random_job_id());
  EXPECT_FALSE(looks_like_job_id("0123"));
}

}  // namespace
}  // namespace ty
