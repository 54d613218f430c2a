#include "jobspec/impl/cover.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "jobspec/read.h"

namespace ty::jobspec {
namespace {

using Range = std::pair<std::int64_t, std::int64_t>;  // offset, end

/// Behind the closing bracket of a flow map or list; strings inside are skipped. The end of the
/// text when nothing closes it.
std::size_t end_of_flow(std::string_view source, std::size_t at) {
  int depth = 0;
  for (; at < source.size(); ++at) {
    const char c = source[at];
    if (c == '"' || c == '\'') {
      for (++at; at < source.size() && source[at] != c; ++at) {
        if (c == '"' && source[at] == '\\') ++at;
      }
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if ((c == '}' || c == ']') && --depth == 0) {
      return at + 1;
    }
  }
  return source.size();
}

std::size_t end_of_quoted(std::string_view source, std::size_t at) {
  const char quote = source[at];
  for (++at; at < source.size(); ++at) {
    if (quote == '"' && source[at] == '\\')
      ++at;
    else if (source[at] == quote && (quote == '"' || source.substr(at + 1, 1) != "'"))
      return at + 1;
    else if (source[at] == quote)
      ++at;
  }
  return source.size();
}

std::size_t indent_of_line(std::string_view source, std::size_t at) {
  const std::size_t begin = at == 0 ? 0 : source.rfind('\n', at - 1) + 1;
  std::size_t blanks = 0;
  while (begin + blanks < source.size() && source[begin + blanks] == ' ') ++blanks;
  return blanks;
}

/// Behind the last line that is indented deeper than the line of `key_at`.
std::size_t end_of_block(std::string_view source, std::size_t key_at, std::size_t at) {
  const std::size_t outer = indent_of_line(source, key_at);
  std::size_t end = source.find('\n', at);
  while (end != std::string_view::npos) {
    const std::size_t line = end + 1;
    if (line >= source.size()) break;
    const std::size_t blank = source.find_first_not_of(" \r\t", line);
    const bool empty = blank == std::string_view::npos || source[blank] == '\n';
    // `- a` of a list may stand as deep as its key.
    const bool deeper = blank != std::string_view::npos && blank - line > outer;
    const bool item = blank != std::string_view::npos && blank - line == outer &&
                      source[blank] == '-' && source.substr(blank, 3) != "---";
    const bool comment = blank != std::string_view::npos && source[blank] == '#';
    if (!empty && !deeper && !item && !comment) break;
    end = source.find('\n', line);
  }
  return end == std::string_view::npos ? source.size() : end;
}

/// `at` of a block scalar points behind its `|` in some readers, so the line of the key decides.
Range range_of(const Tree& tree, Ref ref) {
  const std::string_view source = tree.source();
  const std::size_t at = std::min<std::size_t>(ref->at, source.size());
  const std::size_t key = ref->key.empty() ? at : std::min<std::size_t>(ref->key_at, at);
  std::size_t end = at;
  if (at < source.size() && (source[at] == '{' || source[at] == '['))
    end = end_of_flow(source, at);
  else if (at < source.size() && (source[at] == '"' || source[at] == '\''))
    end = end_of_quoted(source, at);
  else if (ref.is_scalar() && source.substr(at, ref->text.size()) == ref->text)
    end = at + ref->text.size();
  else
    end = end_of_block(source, key, at);
  return {static_cast<std::int64_t>(at), static_cast<std::int64_t>(end)};
}

void add_elsewhere(std::string_view source, std::string_view value, std::vector<Range>& out) {
  // Shorter ones would cover half of the file and are no secrets.
  constexpr std::size_t kWorthHiding = 6;
  if (value.size() < kWorthHiding) return;
  for (std::size_t at = source.find(value); at != std::string_view::npos;
       at = source.find(value, at + value.size()))
    out.emplace_back(at, at + value.size());
}

void add(const Tree& tree, Ref ref, std::vector<Range>& out) {
  if (ref.is_null()) return;
  out.push_back(range_of(tree, ref));
  if (ref.is_scalar()) add_elsewhere(tree.source(), ref->text, out);
  for (const Ref child : ref) add(tree, child, out);
}

}  // namespace

std::vector<std::pair<std::int64_t, std::int64_t>> ranges_to_cover(const Tree& tree,
                                                                   const std::vector<Ref>& hidden) {
  std::vector<Range> found;
  for (const Ref ref : hidden) add(tree, ref, found);
  std::ranges::sort(found);
  std::vector<std::pair<std::int64_t, std::int64_t>> out;  // offset, length
  std::int64_t end = -1;
  for (const auto& [from, to] : found) {
    if (to <= from) continue;
    if (from <= end) {
      out.back().second = std::max(out.back().second, to - out.back().first);
    } else {
      out.emplace_back(from, to - from);
    }
    end = out.back().first + out.back().second;
  }
  return out;
}

std::string cover(std::string_view text,
                  const std::vector<std::pair<std::int64_t, std::int64_t>>& ranges) {
  std::string out;
  std::size_t at = 0;
  for (const auto& [offset, length] : ranges) {
    const auto from = std::min(static_cast<std::size_t>(offset), text.size());
    out += text.substr(at, from - at);
    out += "\"******\"";
    at = std::min(from + static_cast<std::size_t>(length), text.size());
  }
  out += text.substr(at);
  return out;
}

}  // namespace ty::jobspec
