#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "telemetry/log_reader.h"

namespace ty::telemetry {

/// Longer lines are matched on their first so many bytes.
inline constexpr std::size_t kMatchedLine = std::size_t{16} << 10;
inline constexpr std::size_t kMaxPattern = 1024;

struct LinePattern {
  std::string text;      ///< RE2, at most 1 KiB
  bool literal = false;  ///< take `text` as it stands
  bool ignore_case = false;
  bool operator==(const LinePattern&) const = default;
};

/// A compiled pattern. Immutable, so any number of threads may use one. A line is matched without
/// its newline; `^` and `$` are its ends.
class LineMatcher {
 public:
  struct Span {
    std::size_t begin = 0;
    std::size_t end = 0;
    bool operator==(const Span&) const = default;
  };

  /// Errc::Invalid with RE2's words when the pattern is broken, too long or too big.
  static Result<LineMatcher> compile(const LinePattern& pattern);
  LineMatcher(LineMatcher&&) noexcept;
  LineMatcher& operator=(LineMatcher&&) noexcept;
  ~LineMatcher();

  /// Where the pattern first matches in the first 16 KiB of `line`.
  std::optional<Span> match(std::string_view line) const;

  /// Offset of the first line of `lines` (whole lines) that could match, or npos. Fast: looks at
  /// the block as one text where the pattern allows. The answer may name a line that does not
  /// match, never skip one that does.
  std::size_t first_candidate(std::string_view lines) const;

 private:
  struct Compiled;
  explicit LineMatcher(std::unique_ptr<Compiled> compiled);
  std::unique_ptr<Compiled> compiled_;
};

struct SearchHit {
  std::uint64_t line = 0;    ///< from 1
  std::uint64_t offset = 0;  ///< where the line starts
  std::optional<Time> time;
  std::string text;  ///< the line without its newline, at most 16 KiB
  bool cut = false;  ///< there was more of it
  LineMatcher::Span match;
};

struct SearchQuery {
  std::optional<ByteRange> within;  ///< begins and ends at lines; null: everything
  std::uint64_t from = 0;           ///< where the page before ended: SearchPage::next
  std::size_t limit = 100;          ///< most hits in the answer
  std::size_t max_text = std::size_t{4}
                         << 20;  ///< the page ends early rather than carry more bytes of text
  std::function<bool()>
      cancelled;  ///< asked once per block; true ends the search with what was found
};

struct SearchPage {
  std::vector<SearchHit> hits;
  std::optional<std::uint64_t>
      next;  ///< there may be more from here on: SearchQuery::from of the next page
  std::uint64_t searched = 0;  ///< bytes looked at
};

/// Searches forward through a log. Blocks while it reads: run it on a blocking pool.
/// Errc::Invalid when `from` is no start of a line.
Result<SearchPage> search(LogReader& log, const LineMatcher& matcher, const SearchQuery& query);

/// `grep` on a stream of pieces cut anywhere: hands on the lines that match, whole. A line that
/// outgrows 16 KiB is decided there and then passed on or dropped piece by piece, so memory stays
/// bounded.
class LineFilter {
 public:
  explicit LineFilter(const LineMatcher& matcher) : matcher_(matcher) {}
  void feed(std::string_view piece, std::string& out);
  /// Call at the end: decides a last line that has no newline.
  void finish(std::string& out);

 private:
  enum class Mode : std::uint8_t { Collecting, Passing, Dropping };
  void whole_lines(std::string_view lines, std::string& out) const;
  const LineMatcher& matcher_;
  std::string line_;
  Mode mode_ = Mode::Collecting;
};

}  // namespace ty::telemetry
