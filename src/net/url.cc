#include "net/url.h"

#include <algorithm>
#include <boost/url/encode.hpp>
#include <boost/url/pct_string_view.hpp>
#include <boost/url/rfc/unreserved_chars.hpp>

#include "base/text.h"
#include "net/messages.h"

namespace ty::net {

namespace urls = boost::urls;

namespace {

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

/// Decodes into `out`; false when the text is not acceptable. Line breaks and tabs are fine in a
/// query, where they can be part of a search, and nowhere else.
bool decode(std::string_view text, bool in_query, std::string& out) {
  if (text.find('%') == std::string_view::npos && !(in_query && text.contains('+'))) {
    out.assign(text);
  } else {
    const auto escaped = urls::make_pct_string_view(text);
    if (!escaped) return false;
    const urls::encoding_opts plus_is_blank(in_query);
    escaped->decode(plus_is_blank, urls::string_token::assign_to(out));
  }
  bool beyond_ascii = false;
  for (const char c : out) {
    if (is_control(c) && !(in_query && (c == '\n' || c == '\r' || c == '\t'))) return false;
    beyond_ascii |= (c & 0x80) != 0;
  }
  return !beyond_ascii || invalid_utf8(out) == std::string_view::npos;
}

Result<void> parse_query_into(std::string_view text,
                              std::vector<std::pair<std::string, std::string>>& into) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('&'), text.size());
    const std::string_view pair = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (pair.empty()) continue;
    const std::size_t equals = std::min(pair.find('='), pair.size());
    std::string name;
    std::string value;
    if (!decode(pair.substr(0, equals), true, name) ||
        !decode(pair.substr(std::min(equals + 1, pair.size())), true, value)) {
      return fail(Errc::Invalid, say::query_malformed({.name = shorten(pair.substr(0, equals))}));
    }
    into.emplace_back(std::move(name), std::move(value));
  }
  return {};
}

}  // namespace

std::optional<std::string> percent_decode(std::string_view text, bool plus_is_blank) {
  std::string out;
  if (!decode(text, plus_is_blank, out)) return std::nullopt;
  return out;
}

std::string percent_encode(std::string_view text) {
  return urls::encode(text, urls::unreserved_chars);
}

std::string make_query(const std::vector<std::pair<std::string, std::string>>& parameters) {
  std::string out;
  for (const auto& [name, value] : parameters) {
    out += out.empty() ? '?' : '&';
    out += percent_encode(name);
    out += '=';
    out += percent_encode(value);
  }
  return out;
}

Result<std::vector<std::pair<std::string, std::string>>> parse_query(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> parameters;
  TY_DO(parse_query_into(text, parameters));
  return parameters;
}

Result<void> parse_target(std::string_view text, Target& into) {
  into.path.clear();
  into.query.clear();
  if (!text.starts_with('/')) {
    const std::size_t scheme_end = text.find("://");
    if (scheme_end == std::string_view::npos || scheme_end > 8) {
      return fail(Errc::Invalid, say::target_without_slash());
    }
    const std::size_t slash = text.find_first_of("/?", scheme_end + 3);
    text = slash == std::string_view::npos ? std::string_view("/") : text.substr(slash);
    if (text.starts_with('?')) return fail(Errc::Invalid, say::target_without_path());
  }
  text = text.substr(0, text.find('#'));
  const std::size_t query_at = std::min(text.find('?'), text.size());
  into.path = text.substr(0, query_at);

  // Strings are reused, not rebuilt: on a kept connection a request parses without allocating.
  std::size_t used = 0;
  std::string_view rest = into.path;
  while (!rest.empty()) {
    rest.remove_prefix(1);  // the slash
    const std::size_t end = std::min(rest.find('/'), rest.size());
    const std::string_view segment = rest.substr(0, end);
    rest.remove_prefix(end);
    if (segment.empty()) continue;
    if (used == into.segments.size()) into.segments.emplace_back();
    std::string& decoded = into.segments[used++];
    if (!decode(segment, false, decoded)) {
      return fail(Errc::Invalid, say::path_malformed());
    }
    if (decoded == "." || decoded == "..") {
      return fail(Errc::Invalid, say::path_with_dots({.part = decoded}));
    }
  }
  into.segments.resize(used);
  return parse_query_into(text.substr(std::min(query_at + 1, text.size())), into.query);
}

}  // namespace ty::net
