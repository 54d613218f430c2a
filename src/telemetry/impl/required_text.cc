#include "telemetry/impl/required_text.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace ty::telemetry {

namespace {

constexpr std::size_t kNone = std::string_view::npos;
constexpr std::size_t kShortest = 3;  // shorter ones are everywhere
constexpr std::size_t kMostBranches = 4;

/// One past the `]` that ends the class at `at`.
std::size_t skip_class(std::string_view pattern, std::size_t at) {
  ++at;
  if (at < pattern.size() && pattern[at] == '^') ++at;
  if (at < pattern.size() && pattern[at] == ']') ++at;
  for (; at < pattern.size(); ++at) {
    if (pattern[at] == '\\') {
      ++at;
    } else if (pattern[at] == '[' && at + 1 < pattern.size() && pattern[at + 1] == ':') {
      const std::size_t end = pattern.find(":]", at + 2);
      if (end == kNone) return kNone;
      at = end + 1;
    } else if (pattern[at] == ']') {
      return at + 1;
    }
  }
  return kNone;
}

/// One past the `)` that ends the group at `at`.
std::size_t skip_group(std::string_view pattern, std::size_t at) {
  int depth = 0;
  while (at < pattern.size()) {
    const char c = pattern[at];
    if (c == '\\') {
      at += 2;
    } else if (c == '[') {
      at = skip_class(pattern, at);
      if (at == kNone) return kNone;
    } else {
      depth += c == '(' ? 1 : c == ')' ? -1 : 0;
      ++at;
      if (depth == 0) return at;
    }
  }
  return kNone;
}

/// One past `{2,5}`; npos when the brace is no repetition.
std::size_t skip_repetition(std::string_view pattern, std::size_t at) {
  const std::size_t end = pattern.find_first_not_of("0123456789,", at + 1);
  if (end == kNone || pattern[end] != '}') return kNone;
  return end + 1;
}

class Branches {
 public:
  void add(char c) { run_ += c; }
  void end_run() {
    if (run_.size() > longest_.size()) longest_ = run_;
    run_.clear();
  }
  /// What was added last may be missing: a whole character, however many bytes it has.
  void drop_last() {
    while (!run_.empty()) {
      const auto byte = static_cast<unsigned char>(run_.back());
      run_.pop_back();
      if ((byte & 0xC0) != 0x80) break;
    }
    end_run();
  }
  void end_branch() {
    end_run();
    texts.push_back(std::exchange(longest_, {}));
  }
  std::vector<std::string> texts;

 private:
  std::string run_;
  std::string longest_;
};

}  // namespace

std::vector<std::string> required_texts(std::string_view pattern) {
  Branches branches;
  for (std::size_t at = 0; at < pattern.size();) {
    const char c = pattern[at];
    switch (c) {
      case '\\': {
        if (at + 1 == pattern.size()) return {};
        const char escaped = pattern[at + 1];
        if (escaped == 'Q' || static_cast<unsigned char>(escaped) >= 0x80) return {};
        if (std::ispunct(static_cast<unsigned char>(escaped))) {
          branches.add(escaped);
          at += 2;
        } else if (std::string_view("dDsSwWbBAz").find(escaped) != kNone) {
          branches.end_run();
          at += 2;
        } else {
          return {};
        }
        break;
      }
      case '(': {
        // Named and plain groups leave the flags alone; others may turn case off for what follows.
        const bool plain = pattern.substr(at, 2) != "(?" || pattern.substr(at, 3) == "(?:" ||
                           pattern.substr(at, 4) == "(?P<";
        if (!plain) return {};
        branches.end_run();
        at = skip_group(pattern, at);
        break;
      }
      case '[':
        branches.end_run();
        at = skip_class(pattern, at);
        break;
      case '*':
      case '?':
        branches.drop_last();
        ++at;
        break;
      case '{': {
        const std::size_t after = skip_repetition(pattern, at);
        if (after == kNone) return {};
        branches.drop_last();
        at = after;
        break;
      }
      case '+':
      case '.':
      case '^':
      case '$':
        branches.end_run();
        ++at;
        break;
      case '|':
        branches.end_branch();
        ++at;
        break;
      case ')':
        return {};
      default:
        branches.add(c);
        ++at;
    }
    if (at == kNone) return {};
  }
  branches.end_branch();
  const bool useful = std::ranges::all_of(
      branches.texts, [](const auto& text) { return text.size() >= kShortest; });
  if (!useful || branches.texts.size() > kMostBranches) return {};
  return std::move(branches.texts);
}

}  // namespace ty::telemetry
