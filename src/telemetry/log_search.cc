#include "telemetry/log_search.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <cstring>

#include "base/text.h"
#include "telemetry/impl/required_text.h"
#include "telemetry/messages.h"

namespace ty::telemetry {

namespace {

constexpr std::size_t kNpos = std::string_view::npos;
constexpr int kMaxProgram = 10'000;
/// A matcher may look a little past the cut, to tell a word's end there from a word that goes on.
constexpr std::size_t kBeyondCut = 8;
/// Lines are first looked through for required texts in windows of this size: small enough for the
/// nearest cache.
constexpr std::size_t kWindow = std::size_t{32} << 10;

re2::StringPiece piece_of(std::string_view text) { return {text.data(), text.size()}; }

/// Says whether the pattern means the same on a block of lines as on one line. Not so when it
/// speaks of the ends of the text (\A \z), of raw bytes (\C), or turns multi-line matching off by
/// itself.
bool works_on_blocks(std::string_view pattern) {
  for (std::size_t i = 0; i + 1 < pattern.size(); ++i) {
    if (pattern[i] == '\\') {
      if (std::strchr("AzC", pattern[i + 1])) return false;
      ++i;
    } else if (pattern[i] == '(' && pattern[i + 1] == '?') {
      const std::string_view flags = pattern.substr(i, pattern.find_first_of(":)", i) - i);
      if (flags.find('-') != kNpos && flags.find('m') != kNpos) return false;
    }
  }
  return true;
}

bool has_no_operators(std::string_view pattern) {
  return pattern.find_first_of("\\^$.|?*+()[]{}") == kNpos;
}

std::size_t last_newline(std::string_view text) {
  const void* at = ::memrchr(text.data(), '\n', text.size());
  return at ? static_cast<std::size_t>(static_cast<const char*>(at) - text.data()) : kNpos;
}

/// The start of the line that holds `at`, or npos when `at` is behind the last line.
std::size_t line_holding(std::string_view lines, std::size_t at) {
  if (at >= lines.size()) return kNpos;
  return last_newline(lines.substr(0, at)) + 1;  // npos + 1 is 0: the first line
}

}  // namespace

struct LineMatcher::Compiled {
  std::string needle;  ///< not empty: a plain text, searched without RE2
  std::unique_ptr<re2::RE2> regex;
  bool blocks = true;
  std::vector<std::string> required;  ///< one of these is in every match; empty: nothing is known

  std::size_t find(std::string_view lines) const;
};

/// Where the expression matches in some lines, looked for only if a text that it needs is there.
std::size_t LineMatcher::Compiled::find(std::string_view lines) const {
  const auto here = [&](const std::string& text) {
    return ::memmem(lines.data(), lines.size(), text.data(), text.size()) != nullptr;
  };
  if (!required.empty() && std::ranges::none_of(required, here)) return kNpos;
  re2::StringPiece found;
  if (!regex->Match(piece_of(lines), 0, lines.size(), re2::RE2::UNANCHORED, &found, 1))
    return kNpos;
  return static_cast<std::size_t>(found.data() - lines.data());
}

LineMatcher::LineMatcher(std::unique_ptr<Compiled> compiled) : compiled_(std::move(compiled)) {}
LineMatcher::LineMatcher(LineMatcher&&) noexcept = default;
LineMatcher& LineMatcher::operator=(LineMatcher&&) noexcept = default;
LineMatcher::~LineMatcher() = default;

Result<LineMatcher> LineMatcher::compile(const LinePattern& pattern) {
  const std::string& text = pattern.text;
  if (text.size() > kMaxPattern) {
    return fail(Errc::Invalid, say::pattern_too_long({.limit = kMaxPattern}));
  }
  auto compiled = std::make_unique<Compiled>();
  const bool plain = pattern.literal || has_no_operators(text);
  if (plain && !pattern.ignore_case && !text.empty() && text.find('\n') == kNpos) {
    compiled->needle = text;
    return LineMatcher(std::move(compiled));
  }

  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_case_sensitive(!pattern.ignore_case);
  // On a line without a newline neither this nor (?m) changes anything; they let the same program
  // run over many lines at once.
  options.set_never_nl(true);
  compiled->blocks = pattern.literal || works_on_blocks(text);
  if (compiled->blocks && !pattern.literal && !pattern.ignore_case) {
    compiled->required = required_texts(text);
  }
  const std::string source = pattern.literal ? re2::RE2::QuoteMeta(piece_of(text)) : text;
  compiled->regex = std::make_unique<re2::RE2>((compiled->blocks ? "(?m)" : "") + source, options);
  if (!compiled->regex->ok()) {
    // Said of what was asked for, not of what we made of it.
    const std::string why = re2::RE2(source, options).error();
    return fail(Errc::Invalid, say::not_a_pattern({.why = why}));
  }
  if (compiled->regex->ProgramSize() > kMaxProgram) {
    return fail(Errc::Invalid, say::pattern_too_big());
  }
  return LineMatcher(std::move(compiled));
}

std::optional<LineMatcher::Span> LineMatcher::match(std::string_view line) const {
  const std::size_t end = std::min(line.size(), kMatchedLine);
  if (!compiled_->regex) {
    const std::size_t at = line.substr(0, end).find(compiled_->needle);
    if (at == kNpos) return {};
    return Span{at, at + compiled_->needle.size()};
  }
  line = line.substr(0, kMatchedLine + kBeyondCut);
  re2::StringPiece found;
  if (!compiled_->regex->Match(piece_of(line), 0, end, re2::RE2::UNANCHORED, &found, 1)) return {};
  const auto begin = static_cast<std::size_t>(found.data() - line.data());
  return Span{begin, begin + found.size()};
}

std::size_t LineMatcher::first_candidate(std::string_view lines) const {
  if (lines.empty()) return kNpos;
  if (!compiled_->regex) {
    const void* found =
        ::memmem(lines.data(), lines.size(), compiled_->needle.data(), compiled_->needle.size());
    if (!found) return kNpos;
    return line_holding(lines,
                        static_cast<std::size_t>(static_cast<const char*>(found) - lines.data()));
  }
  if (!compiled_->blocks) return 0;
  const std::size_t window = compiled_->required.empty() ? lines.size() : kWindow;
  for (std::size_t begin = 0; begin < lines.size();) {
    const std::size_t newline =
        begin + window < lines.size() ? lines.find('\n', begin + window) : kNpos;
    const std::size_t end = newline == kNpos ? lines.size() : newline + 1;
    const std::size_t found = compiled_->find(lines.substr(begin, end - begin));
    if (found != kNpos) return line_holding(lines, begin + found);
    begin = end;
  }
  return kNpos;
}

namespace {

/// One walk through the log, by a window that always begins at a line. Lines are counted only where
/// there is a hit.
class Search {
 public:
  Search(LogReader& log, const LineMatcher& matcher, const SearchQuery& query, ByteRange range)
      : log_(log), matcher_(matcher), query_(query), end_(range.end), at_(range.begin) {
    const std::uint64_t wanted = std::min<std::uint64_t>(kLogChunk, range.size());
    buffer_.resize(std::max<std::size_t>(static_cast<std::size_t>(wanted), 1));
  }

  Result<SearchPage> run() {
    while (!full_) {
      if (query_.cancelled && query_.cancelled()) break;
      TY_DO(fill());
      if (length_ == 0) at_ = end_;
      if (at_ == end_) break;
      const bool last = at_ + length_ >= end_;
      const std::size_t newline = last_newline({buffer_.data(), length_});
      if (!last && newline == kNpos) {
        TY_DO(long_line());
        continue;
      }
      const std::size_t whole = last ? length_ : newline + 1;
      TY_DO(whole_lines({buffer_.data(), whole}));
    }
    page_.searched = at_ - start_;
    if (at_ < end_) page_.next = at_;
    return std::move(page_);
  }

 private:
  Result<void> fill() {
    const std::uint64_t missing = end_ - at_ - length_;
    const std::size_t wanted =
        static_cast<std::size_t>(std::min<std::uint64_t>(buffer_.size() - length_, missing));
    TY_TRY(const std::size_t got,
           log_.read_at(at_ + length_, std::span(buffer_).subspan(length_, wanted)));
    length_ += got;
    return {};
  }

  /// Drops the first bytes of the window.
  void pass(std::size_t bytes) {
    std::memmove(buffer_.data(), buffer_.data() + bytes, length_ - bytes);
    length_ -= bytes;
    at_ += bytes;
  }

  Result<void> whole_lines(std::string_view lines) {
    std::size_t done = 0;
    while (done < lines.size() && !full_) {
      const std::size_t found = matcher_.first_candidate(lines.substr(done));
      if (found == kNpos) {
        done = lines.size();
        break;
      }
      const std::size_t begin = done + found;
      const std::size_t newline = lines.find('\n', begin);
      const std::size_t end = newline == kNpos ? lines.size() : newline;
      const std::string_view line = lines.substr(begin, end - begin);
      if (const auto span = matcher_.match(line)) {
        const std::size_t last_byte = newline == kNpos ? lines.size() - 1 : newline;
        TY_DO(add(line, at_ + begin, at_ + last_byte, *span));
      }
      done = newline == kNpos ? lines.size() : newline + 1;
    }
    pass(done);
    return {};
  }

  /// The window is full and holds no newline: decide by its beginning, then walk to the end of the
  /// line.
  Result<void> long_line() {
    TY_TRY(const std::uint64_t after, log_.line_end(at_ + length_));
    const std::string_view line(buffer_.data(), length_);
    if (const auto span = matcher_.match(line)) TY_DO(add(line, at_, after - 1, *span));
    at_ = std::min(after, end_);
    length_ = 0;
    return {};
  }

  Result<void> add(std::string_view line,
                   std::uint64_t offset,
                   std::uint64_t last_byte,
                   LineMatcher::Span span) {
    SearchHit hit{.offset = offset, .match = span};
    TY_TRY(hit.line, log_.line_at(offset, known_));
    known_ = {offset, hit.line};
    TY_TRY(hit.time, log_.time_at(last_byte));
    hit.cut = line.size() > kMatchedLine;
    hit.text = line.substr(0, kMatchedLine);
    text_ += hit.text.size();
    page_.hits.push_back(std::move(hit));
    full_ = page_.hits.size() >= query_.limit || text_ >= query_.max_text;
    return {};
  }

  LogReader& log_;
  const LineMatcher& matcher_;
  const SearchQuery& query_;
  std::uint64_t end_;
  std::uint64_t at_;  ///< offset of the window's first byte
  std::uint64_t start_ = at_;
  LinePlace known_;  ///< the last hit
  std::vector<char> buffer_;
  std::size_t length_ = 0;
  std::size_t text_ = 0;
  bool full_ = false;
  SearchPage page_;
};

}  // namespace

Result<SearchPage> search(LogReader& log, const LineMatcher& matcher, const SearchQuery& query) {
  ByteRange range = log.bytes(query.within.value_or(log.whole()));
  range.begin = std::max(range.begin, std::min(query.from, range.end));
  if (range.empty() || query.limit == 0) return SearchPage{};
  TY_TRY(const std::uint64_t start, log.line_start(range.begin));
  if (start != range.begin) return fail(Errc::Invalid, say::search_from_line_start());
  return Search(log, matcher, query, range).run();
}

void LineFilter::whole_lines(std::string_view lines, std::string& out) const {
  while (!lines.empty()) {
    const std::size_t begin = matcher_.first_candidate(lines);
    if (begin == kNpos) return;
    const std::size_t newline = lines.find('\n', begin);
    const std::string_view line = lines.substr(begin, newline + 1 - begin);
    if (matcher_.match(line.substr(0, line.size() - 1))) out += line;
    lines.remove_prefix(newline + 1);
  }
}

void LineFilter::feed(std::string_view piece, std::string& out) {
  while (!piece.empty()) {
    if (mode_ == Mode::Collecting && line_.empty()) {
      const std::size_t whole = last_newline(piece) + 1;
      whole_lines(piece.substr(0, whole), out);
      piece.remove_prefix(whole);
      if (piece.empty()) return;
    }
    const std::size_t newline = piece.find('\n');
    const bool ends = newline != kNpos;
    const std::string_view part = piece.substr(0, ends ? newline + 1 : kNpos);
    piece.remove_prefix(part.size());
    if (mode_ == Mode::Collecting) {
      line_ += part;
      const std::string_view text =
          std::string_view(line_).substr(0, line_.size() - (ends ? 1 : 0));
      if (!ends && text.size() < kMatchedLine + kBeyondCut) continue;
      const bool matches = matcher_.match(text).has_value();
      if (matches) out += line_;
      line_.clear();
      mode_ = matches ? Mode::Passing : Mode::Dropping;
    } else if (mode_ == Mode::Passing) {
      out += part;
    }
    if (ends) mode_ = Mode::Collecting;
  }
}

void LineFilter::finish(std::string& out) {
  if (mode_ == Mode::Collecting && !line_.empty() && matcher_.match(line_)) out += line_;
  line_.clear();
  mode_ = Mode::Collecting;
}

}  // namespace ty::telemetry
