#include "telemetry/log_search.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <re2/re2.h>

#include "telemetry/impl/testing.h"
#include "telemetry/log_keeper.h"

namespace ty::telemetry {
namespace {

using namespace testing;

LineMatcher compiled(const std::string& text, bool ignore_case = false) {
  auto matcher = LineMatcher::compile({.text = text, .ignore_case = ignore_case});
  EXPECT_TRUE(matcher) << matcher.error().message;
  return std::move(*matcher);
}

std::string_view without_newline(std::string_view line) {
  if (line.ends_with('\n')) line.remove_suffix(1);
  return line;
}

std::vector<SearchHit> all_hits(LogReader& reader, const LineMatcher& matcher, std::size_t page) {
  std::vector<SearchHit> hits;
  SearchQuery query{.limit = page};
  while (true) {
    auto found = search(reader, matcher, query);
    EXPECT_TRUE(found) << found.error().message;
    EXPECT_LE(found->hits.size(), page);
    std::ranges::move(found->hits, std::back_inserter(hits));
    if (!found->next) return hits;
    EXPECT_GT(*found->next, query.from);
    query.from = *found->next;
  }
}

/// Patterns that mean different things on a block than on a line, if one is not careful.
const std::vector<std::string> kPatterns = {
    "a",        "ab",        "^a",      "b$",     "^$",      "a*",    "",        "^a.*b$",
    "[^a]",     "a[^b]b",    "\\s",     "a\\s*b", "\\Aa",    "b\\z",  "(?s)a.b", "(?-m)^b",
    "\\bab\\b", "\\Bb",      "(a|^b)c", "\\n",    "a\\nb",   "c|^b$", "\\Ca",    "(?i)A",
    "\\x0a",    "[\\s\\S]b", "(?m)^c$", "aab+c?", "bbc|aaa", "c|^bb", "abb.*c",  "\\pL",
};

RC_GTEST_PROP(LogSearch, FindsWhatALineByLineSearchFinds, ()) {
  const TempDir dir;
  const auto byte = rc::gen::elementOf(std::string("aabbc \n\nA"));
  const auto text = *rc::gen::container<std::string>(byte);
  const auto pattern = *rc::gen::elementOf(kPatterns);
  const auto cut = *rc::gen::inRange<std::size_t>(0, text.size() + 1);
  const std::vector<Chunk> chunks = {{text.substr(0, cut), kStart},
                                     {text.substr(cut), kStart + 1s}};
  const Naive naive(chunks);
  write_log(dir / "x.log", chunks);

  const LineMatcher matcher = compiled(pattern);
  const re2::RE2 reference(pattern);
  auto reader = LogReader::open(dir / "x.log");
  const auto hits = all_hits(*reader, matcher, *rc::gen::inRange<std::size_t>(1, 5));
  std::size_t next = 0;
  for (std::size_t i = 0; i < naive.lines.size(); ++i) {
    const std::string_view line = without_newline(naive.lines[i].text);
    re2::StringPiece found;
    if (!reference.Match(
            {line.data(), line.size()}, 0, line.size(), re2::RE2::UNANCHORED, &found, 1))
      continue;
    RC_ASSERT(next < hits.size());
    const SearchHit& hit = hits[next++];
    RC_ASSERT(hit.line == i + 1);
    RC_ASSERT(hit.offset == naive.lines[i].offset);
    RC_ASSERT(hit.text == line);
    RC_ASSERT(hit.time == naive.lines[i].time);
    RC_ASSERT(hit.match.begin == static_cast<std::size_t>(found.data() - line.data()));
    RC_ASSERT(hit.match.end == hit.match.begin + found.size());
  }
  RC_ASSERT(next == hits.size());
}

RC_GTEST_PROP(LineFilter, PassesOnTheSameLinesHoweverThePiecesAreCut, ()) {
  const auto byte = rc::gen::elementOf(std::string("aabbc \n\n"));
  const auto text = *rc::gen::container<std::string>(byte);
  const auto pattern = *rc::gen::elementOf(kPatterns);
  const LineMatcher matcher = compiled(pattern);
  std::string expected;
  for (const auto& line : Naive({{text, kStart}}).lines) {
    if (matcher.match(without_newline(line.text))) expected += line.text;
  }
  LineFilter filter(matcher);
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const auto size = *rc::gen::inRange<std::size_t>(1, 9);
    filter.feed(std::string_view(text).substr(at, size), out);
    at += size;
  }
  filter.finish(out);
  RC_ASSERT(out == expected);
}

TEST(LogSearch, LargeLogsGiveTheSameHitsPlainAndCompressed) {
  const TempDir dir;
  const auto chunks = random_chunks(5 << 20, 1'500'000, 11);
  const Naive naive(chunks);
  write_log(dir / "x.log", chunks);
  for (const bool pack : {false, true}) {
    if (pack) ASSERT_TRUE(compress_log(dir / "x.log"));
    for (const std::string pattern : {"loss=7", "loss=\\d*7$", "^[a-z]*loss"}) {
      const LineMatcher matcher = compiled(pattern);
      auto reader = LogReader::open(dir / "x.log");
      const auto hits = all_hits(*reader, matcher, 50);
      std::size_t next = 0;
      for (std::size_t i = 0; i < naive.lines.size(); ++i) {
        const std::string_view line = without_newline(naive.lines[i].text);
        if (!matcher.match(line)) continue;
        ASSERT_LT(next, hits.size());
        EXPECT_EQ(hits[next].line, i + 1);
        EXPECT_EQ(hits[next].offset, naive.lines[i].offset);
        EXPECT_EQ(hits[next].time, naive.lines[i].time);
        EXPECT_TRUE(hits[next].text == line.substr(0, kMatchedLine));
        EXPECT_EQ(hits[next].cut, line.size() > kMatchedLine);
        ++next;
      }
      EXPECT_EQ(next, hits.size());
      EXPECT_GT(next, 0u);
    }
  }
}

TEST(LogSearch, LongLinesAreMatchedOnTheirBeginning) {
  const TempDir dir;
  for (const std::size_t length : {kMatchedLine + 100, std::size_t{3} << 20}) {
    std::filesystem::remove(dir / "x.log");
    std::filesystem::remove(dir / "x.log.idx");
    std::string line(length, '.');
    line.replace(kMatchedLine - 5, 5, "early");
    line.replace(kMatchedLine + 20, 4, "late");
    write_log(dir / "x.log", {{"before\n" + line + "\nafter early\n", kStart}});
    auto reader = LogReader::open(dir / "x.log");
    const auto early = all_hits(*reader, compiled("early"), 10);
    ASSERT_EQ(early.size(), 2u);
    EXPECT_TRUE(early[0].cut);
    EXPECT_EQ(early[0].text.size(), kMatchedLine);
    EXPECT_EQ(early[0].line, 2u);
    EXPECT_EQ(early[1].line, 3u);
    EXPECT_EQ(all_hits(*reader, compiled("late"), 10).size(), 0u);
    EXPECT_EQ(all_hits(*reader, compiled("l[a]te"), 10).size(), 0u);
    // The cut is not the end of the line.
    EXPECT_EQ(all_hits(*reader, compiled("early$"), 10).size(), 1u);

    const LineMatcher matcher = compiled("early");
    LineFilter streaming(matcher);
    std::string out;
    const std::string text = slurp(dir / "x.log");
    for (std::size_t at = 0; at < text.size(); at += 5000)
      streaming.feed(std::string_view(text).substr(at, 5000), out);
    streaming.finish(out);
    EXPECT_TRUE(out == line + "\nafter early\n");
  }
}

TEST(LogSearch, CanBeCancelledAndContinued) {
  const TempDir dir;
  const auto chunks = random_chunks(4 << 20, 100, 2);
  write_log(dir / "x.log", chunks);
  auto reader = LogReader::open(dir / "x.log");
  const LineMatcher matcher = compiled("loss=77$");
  int asked = 0;
  SearchQuery query{.limit = 1'000'000, .cancelled = [&] { return ++asked > 2; }};
  const auto part = search(*reader, matcher, query);
  ASSERT_TRUE(part);
  ASSERT_TRUE(part->next);
  query.cancelled = {};
  query.from = *part->next;
  const auto rest = search(*reader, matcher, query);
  ASSERT_FALSE(rest->next);
  EXPECT_EQ(part->hits.size() + rest->hits.size(), all_hits(*reader, matcher, 1'000'000).size());
  EXPECT_EQ(part->searched + rest->searched, reader->size());
}

TEST(LogSearch, StaysInsideItsRange) {
  const TempDir dir;
  write_log(dir / "x.log", {{"a1\na2\na3\na4\n", kStart}});
  auto reader = LogReader::open(dir / "x.log");
  const auto page = search(*reader, compiled("a"), {.within = ByteRange{3, 9}});
  ASSERT_EQ(page->hits.size(), 2u);
  EXPECT_EQ(page->hits[0].text, "a2");
  EXPECT_EQ(page->hits[0].line, 2u);
  EXPECT_EQ(search(*reader, compiled("a"), {.from = 4}).error().code, Errc::Invalid);
  EXPECT_TRUE(search(*reader, compiled("a"), {.from = 4000})->hits.empty());
}

TEST(LogSearch, APageOfLongLinesEndsEarly) {
  const TempDir dir;
  std::string text;
  for (int i = 0; i < 100; ++i) text += std::string(10'000, 'x') + "\n";
  write_log(dir / "x.log", {{text, kStart}});
  auto reader = LogReader::open(dir / "x.log");
  const auto page = search(*reader, compiled("x"), {.limit = 1000, .max_text = 50'000});
  EXPECT_EQ(page->hits.size(), 5u);
  EXPECT_TRUE(page->next);
}

TEST(LineMatcher, RefusesWhatIsNoPatternOrTooMuch) {
  for (const std::string bad : {"(", "a**", "[z-a]", "(?<x>a)", "\\1", "a)(b"}) {
    const auto matcher = LineMatcher::compile({.text = bad});
    ASSERT_FALSE(matcher) << bad;
    EXPECT_EQ(matcher.error().code, Errc::Invalid);
    EXPECT_EQ(matcher.error().message.text().find("(?m)"), std::string::npos);
  }
  EXPECT_FALSE(LineMatcher::compile({.text = std::string(1025, 'a')}));
  EXPECT_FALSE(LineMatcher::compile({.text = "((a{100}){100}){10}"}));
  EXPECT_TRUE(LineMatcher::compile({.text = "(", .literal = true}));
}

TEST(LineMatcher, KnowsLiteralsAndCase) {
  EXPECT_TRUE(LineMatcher::compile({.text = "a.b", .literal = true})->match("xa.b"));
  EXPECT_FALSE(LineMatcher::compile({.text = "a.b", .literal = true})->match("xaxb"));
  EXPECT_TRUE(compiled("ERROR", true).match("an error"));
  EXPECT_TRUE(compiled("错误").match("发生错误了"));
  EXPECT_TRUE(compiled("^发生.误").match("发生错误了"));
  EXPECT_TRUE(
      LineMatcher::compile({.text = "A.B", .literal = true, .ignore_case = true})->match("a.b"));
}

}  // namespace
}  // namespace ty::telemetry
