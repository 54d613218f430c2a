#include "api/query_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "api/json_reader.h"
#include "api/messages.h"
#include "base/messages.h"
#include "base/text.h"

namespace ty::api {

std::optional<std::string_view> QueryReader::find(std::string_view name) {
  known_.push_back(name);
  return request_.query(name);
}

QueryReader& QueryReader::wrong(std::string_view name, Message message) {
  faults_.push_back(
      {.pointer = fmt::format("?{}", name), .message = std::move(message), .code = "query"});
  return *this;
}

QueryReader& QueryReader::not_among(std::string_view name,
                                    std::string_view text,
                                    std::string_view words) {
  std::vector<std::string> choices;
  for (const std::string& word : split(words, ',')) choices.emplace_back(trim(word));
  return wrong(name, say::not_among({.value = shorten(text), .choices = std::move(choices)}));
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
    wrong(name, say::neither_true_nor_false({.value = shorten(*text)}));
  }
  return *this;
}

QueryReader& QueryReader::opt(std::string_view name, std::optional<Time>& into) {
  const auto text = find(name);
  if (!text || text->empty()) return *this;
  if (const auto time = parse_rfc3339(*text)) {
    into = *time;
  } else {
    wrong(name, ty::say::not_a_time({.value = shorten(*text)}));
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
    wrong(name, say::not_a_whole_number({.value = shorten(*text)}));
    return std::nullopt;
  }
  if (value < least || value > most) {
    wrong(name,
          value < least ? say::number_too_small({.value = value, .least = least})
                        : say::number_too_large({.value = value, .most = most}));
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
          near.empty() ? say::parameter_unknown() : say::parameter_unknown_near({.near = near}));
  }
  if (faults_.empty()) return {};
  return std::unexpected(error_of(std::move(faults_)));
}

}  // namespace ty::api
