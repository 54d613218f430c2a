#include "telemetry/impl/required_text.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <re2/re2.h>

#include <algorithm>

namespace ty::telemetry {
namespace {

using Texts = std::vector<std::string>;

TEST(RequiredText, IsTheLongestOfEachBranch) {
  EXPECT_EQ(required_texts("loss=\\d+"), Texts{"loss="});
  EXPECT_EQ(required_texts("^ERROR .*: failed$"), Texts{": failed"});
  EXPECT_EQ(required_texts("Traceback|Segmentation fault"),
            (Texts{"Traceback", "Segmentation fault"}));
  EXPECT_EQ(required_texts("colou?rs"), Texts{"colo"});
  EXPECT_EQ(required_texts("abc+def"), Texts{"abc"});
  EXPECT_EQ(required_texts("v1\\.2\\.3"), Texts{"v1.2.3"});
  EXPECT_EQ(required_texts("(a|b)cdef[]x]"), Texts{"cdef"});
  EXPECT_EQ(required_texts("错误?发生了"), Texts{"发生了"});
  EXPECT_EQ(required_texts("abcd{2}efgh"), Texts{"efgh"});
}

TEST(RequiredText, SaysNothingWhereItCannotBeSure) {
  for (const std::string_view pattern : {"",
                                         "ab",
                                         "\\d+",
                                         "(?i)error",
                                         "abcd|x",
                                         "a{|bcd}",
                                         "\\Qabc\\E",
                                         "\\x41bcd",
                                         "a|b|c|d|e",
                                         "abc)",
                                         "abc[",
                                         "abc(",
                                         "abc\\",
                                         "(?i:abc)def",
                                         "\\pLabc"}) {
    EXPECT_EQ(required_texts(pattern), Texts{}) << pattern;
  }
}

/// Expressions out of pieces that need care; nearly all are valid.
std::string arbitrary_pattern() {
  const auto atom = rc::gen::elementOf(
      Texts{"abc", "abcd", "cab", "a", "é", "(ab|c)", "(?:abc)", "[ab]", "[^]c]", "[[:alpha:]]",
            "\\w", "\\b",  "^",   "$", ".", "\\.",    "(a[)]b)", "\\\\", "bca",   "ca"});
  const auto after = rc::gen::elementOf(Texts{"", "", "", "", "?", "*", "+", "{2}", "{0,1}", "|"});
  std::string pattern = "abc";
  const int atoms = *rc::gen::inRange(0, 6);
  for (int i = 0; i < atoms; ++i) pattern += *atom + *after;
  return pattern;
}

RC_GTEST_PROP(RequiredText, IsInsideEveryMatch, ()) {
  const std::string pattern = arbitrary_pattern();
  const Texts texts = required_texts(pattern);
  re2::RE2::Options quiet;
  quiet.set_log_errors(false);
  const re2::RE2 regex(pattern, quiet);
  RC_CLASSIFY(regex.ok() && !texts.empty());
  if (!regex.ok() || texts.empty()) return;
  const auto byte =
      rc::gen::elementOf(Texts{"a", "b", "c", "ab", "abc", "cab", ".", "é", "\\", " "});
  for (int i = 0; i < 20; ++i) {
    std::string text;
    for (const auto& p : *rc::gen::container<Texts>(byte)) text += p;
    if (!re2::RE2::PartialMatch(text, regex)) continue;
    RC_ASSERT(std::ranges::any_of(
        texts, [&](const auto& needle) { return text.find(needle) != std::string::npos; }));
  }
}

}  // namespace
}  // namespace ty::telemetry
