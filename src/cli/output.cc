#include "cli/output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "base/text.h"
#include "base/time.h"

namespace ty::cli {

namespace json = boost::json;

namespace {

bool colours() {
  static const bool yes = ::isatty(STDOUT_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr;
  return yes;
}

/// What is left on the screen of a text: without colours and other orders to the terminal.
std::string as_seen(std::string_view text) {
  std::string seen;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i, 2) == "\x1b[") {
      // Up to the letter that says what the numbers before it are for.
      for (i += 2; i < text.size() && (text[i] < '@' || text[i] > '~');) ++i;
    } else if (text[i] == '\xc2' && i + 1 < text.size() &&
               static_cast<unsigned char>(text[i + 1]) < 0xA0) {
      ++i;  // the same orders, in the one character that Unicode has for their beginning
    } else if (text[i] == '\t') {
      seen += ' ';
    } else if (static_cast<unsigned char>(text[i]) >= ' ' && text[i] != '\x7f') {
      seen += text[i];
    }
  }
  return seen;
}

}  // namespace

std::size_t width_of(std::string_view text) {
  const std::string plain = as_seen(text);
  std::size_t width = 0;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    const auto byte = static_cast<unsigned char>(plain[i]);
    if ((byte & 0xC0) == 0x80) continue;
    // Three-byte characters from U+2E80 on and all four-byte ones are wide enough for a rule of
    // thumb.
    width += byte >= 0xF0 || (byte >= 0xE3 && byte < 0xF0) ? 2 : 1;
  }
  return width;
}

void Table::print() const {
  std::vector<std::size_t> widths(rows_.front().size());
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      if (i + 1 < row.size()) line.append(widths[i] - width_of(row[i]) + 2, ' ');
    }
    while (!line.empty() && line.back() == ' ') line.pop_back();
    std::puts(line.c_str());
  }
}

const json::value* child(const json::value& object, std::string_view key) {
  if (!object.is_object()) return nullptr;
  const json::value* found = object.get_object().if_contains(key);
  return found == nullptr || found->is_null() ? nullptr : found;
}

std::string text(const json::value& object, std::string_view key) {
  const json::value* found = child(object, key);
  if (found == nullptr) return "";
  return found->is_string() ? std::string(found->get_string()) : json::serialize(*found);
}

std::int64_t number(const json::value& object, std::string_view key) {
  const json::value* found = child(object, key);
  if (found == nullptr) return 0;
  if (found->is_int64()) return found->get_int64();
  if (found->is_uint64()) return static_cast<std::int64_t>(found->get_uint64());
  if (found->is_double()) return static_cast<std::int64_t>(found->get_double());
  return 0;
}

const json::array& items(const json::value& object, std::string_view key) {
  static const json::array kNone;
  const json::value* found = child(object, key);
  return found != nullptr && found->is_array() ? found->get_array() : kNone;
}

std::optional<std::string> given(std::string flag) {
  return flag.empty() ? std::nullopt : std::optional(std::move(flag));
}

std::string short_time(std::string_view rfc3339) {
  const Result<Time> time = parse_rfc3339(rfc3339);
  if (!time) return "-";
  const std::time_t then = to_millis(*time) / 1000;
  const std::time_t now = to_millis(SystemClock{}.now()) / 1000;
  std::tm a{};
  std::tm b{};
  ::localtime_r(&then, &a);
  ::localtime_r(&now, &b);
  char out[32];
  const bool today = a.tm_year == b.tm_year && a.tm_yday == b.tm_yday;
  std::strftime(out,
                sizeof out,
                today                    ? "%H:%M:%S"
                : a.tm_year == b.tm_year ? "%m-%d %H:%M"
                                         : "%Y-%m-%d",
                &a);
  return out;
}

std::optional<Millis> length_of(std::string_view from, std::string_view to) {
  const Result<Time> begin = parse_rfc3339(from);
  const Result<Time> end = to.empty() ? Result<Time>(SystemClock{}.now()) : parse_rfc3339(to);
  if (!begin || !end) return std::nullopt;
  return std::max(std::chrono::duration_cast<Millis>(*end - *begin), Millis{0});
}

std::string span(std::string_view from, std::string_view to) {
  const std::optional<Millis> length = length_of(from, to);
  return length ? human_duration(*length) : "-";
}

std::string short_id(std::string_view id) { return std::string(id.substr(0, 8)); }

std::string quote_line(std::string_view line) { return shorten(as_seen(line), 300); }

std::string coloured_state(std::string_view state) {
  if (!colours()) return std::string(state);
  const char* colour = state == "succeeded"                          ? "32"
                       : state == "failed"                           ? "31"
                       : state == "running" || state == "starting"   ? "36"
                       : state == "cancelled" || state == "stopping" ? "33"
                                                                     : "0";
  return fmt::format("\x1b[{}m{}\x1b[0m", colour, state);
}

}  // namespace ty::cli
