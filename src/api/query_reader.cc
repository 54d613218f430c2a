#include "api/query_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "api/json_reader.h"
#include "base/text.h"

namespace ty::api {

std::optional<std::string_view> QueryReader::find(std::string_view name) {
  known_.push_back(name);
  return request_.query(name);
}

QueryReader& QueryReader::wrong(std::string_view name, std::string message) {
  faults_.push_back(
      {.pointer = fmt::format("?{}", name), .message = std::move(message), .code = "query"});
  return *this;
}

QueryReader& QueryReader::opt(std::string_view name, std::string& into) {
  if (const auto text = find(name)) into = *text;
  return *this;
}

QueryReader& QueryReader::opt(std::string_view name, bool& into) {
  const auto text = find(name);
  if (!text) return *this;
  if (text->empty() || *text == "true" || *text == "1") {
    into = true;
  } else if (*text == "false" || *text == "0") {
    into = false;
  } else {
    wrong(name, fmt::format("\"{}\" is neither true nor false", shorten(*text)));
  }
  return *this;
}

QueryReader& QueryReader::opt(std::string_view name, std::optional<Time>& into) {
  const auto text = find(name);
  if (!text || text->empty()) return *this;
  if (const auto time = parse_rfc3339(*text)) {
    into = *time;
  } else {
    wrong(name,
          fmt::format("\"{}\" is no time; write for example 2026-11-15T06:39:00Z", shorten(*text)));
  }
  return *this;
}

std::optional<std::int64_t> QueryReader::number(std::string_view name,
                                                std::int64_t least,
                                                std::int64_t most) {
  const auto text = find(name);
  if (!text || text->empty()) return std::nullopt;
  std::int64_t value = 0;
  const auto [end, ec] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (ec != std::errc{} || end != text->data() + text->size()) {
    wrong(name, fmt::format("\"{}\" is no whole number", shorten(*text)));
    return std::nullopt;
  }
  if (value < least || value > most) {
    wrong(name,
          value < least ? fmt::format("{} is too small; write {} or more", value, least)
                        : fmt::format("{} is too large; write at most {}", value, most));
    return std::nullopt;
  }
  return value;
}

QueryReader& QueryReader::opt(std::string_view name,
                              std::int64_t& into,
                              std::int64_t least,
                              std::int64_t most) {
  if (const auto value = number(name, least, most)) into = *value;
  return *this;
}

QueryReader& QueryReader::opt(std::string_view name,
                              std::optional<std::int64_t>& into,
                              std::int64_t least) {
  if (const auto value = number(name, least, std::numeric_limits<std::int64_t>::max()))
    into = *value;
  return *this;
}

QueryReader& QueryReader::list(std::string_view name, std::vector<std::string>& into) {
  known_.push_back(name);
  for (const std::string_view text : request_.query_all(name)) {
    for (const std::string& part : split(text, ',')) {
      if (!trim(part).empty()) into.emplace_back(trim(part));
    }
  }
  return *this;
}

QueryReader& QueryReader::all(std::string_view name, std::vector<std::string>& into) {
  known_.push_back(name);
  for (const std::string_view text : request_.query_all(name)) into.emplace_back(text);
  return *this;
}

Result<void> QueryReader::done() {
  for (const auto& [name, value] : request_.target.query) {
    if (std::ranges::find(known_, name) != known_.end()) continue;
    const std::string near = closest(name, known_);
    wrong(shorten(name),
          near.empty() ? std::string("unknown parameter")
                       : fmt::format("unknown parameter, did you mean {}?", near));
  }
  if (faults_.empty()) return {};
  return std::unexpected(error_of(std::move(faults_)));
}

}  // namespace ty::api
