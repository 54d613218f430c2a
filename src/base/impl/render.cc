#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "base/impl/catalogue.h"
#include "base/message.h"
#include "base/text.h"
#include "base/time.h"

/// Fills the holes of sentences. `{name}` takes any value; `{name:kind}` a number of that kind;
/// `{name:job|jobs}` a number with the noun that fits it. docs/reference/messages.md describes it,
/// web/src/shared/messages does the same for the page, tests/data/messages.json holds both to it.
namespace ty {
namespace {

struct Hole {
  std::string_view name;
  std::string_view kind;  ///< empty: the value says itself what it is
};

Hole read_hole(std::string_view inside) {
  const auto colon = inside.find(':');
  if (colon == std::string_view::npos) return {inside, {}};
  return {inside.substr(0, colon), inside.substr(colon + 1)};
}

std::string chinese_duration(Millis duration) {
  const std::int64_t ms = duration.count();
  const std::int64_t s = ms / 1000;
  if (ms < 1000) return fmt::format("{} 毫秒", ms);
  if (s < 60) return fmt::format("{:.1f} 秒", static_cast<double>(ms) / 1000);
  if (s < 3600) return fmt::format("{} 分 {:02} 秒", s / 60, s % 60);
  if (s < 86400) return fmt::format("{} 小时 {:02} 分", s / 3600, s % 3600 / 60);
  return fmt::format("{} 天 {} 小时", s / 86400, s % 86400 / 3600);
}

std::string moment(std::int64_t millis) {
  // `2026-11-15 06:39:00 UTC`: the seconds count when somebody compares it with a log.
  std::string text = to_rfc3339(from_millis(millis)).substr(0, 19);
  text[10] = ' ';
  return text + " UTC";
}

std::string cpus(std::int64_t milli, Language language) {
  const std::string number = fmt::format("{:g}", static_cast<double>(milli) / 1000);
  if (language == Language::Chinese) return number + " 核 CPU";
  return number + (milli == 1000 ? " CPU" : " CPUs");
}

std::string fill_number(std::int64_t number, std::string_view kind, Language language) {
  if (kind == "bytes") return human_bytes(number);
  if (kind == "duration") {
    return language == Language::Chinese ? chinese_duration(Millis{number})
                                         : human_duration(Millis{number});
  }
  // As people write it in job files: `1h30m`.
  if (kind == "exact") return format_duration(std::chrono::duration_cast<Seconds>(Millis{number}));
  if (kind == "time") return moment(number);
  if (kind == "cpus") return cpus(number, language);
  if (const auto bar = kind.find('|'); bar != std::string_view::npos)
    return fmt::format("{} {}", number, number == 1 ? kind.substr(0, bar) : kind.substr(bar + 1));
  return std::to_string(number);
}

std::string fill_names(const Value::Texts& names, std::string_view kind, Language language) {
  const bool is_chinese = language == Language::Chinese;
  const std::string_view between = is_chinese ? "、" : ", ";
  if (kind.empty() || names.size() < 2) return join(names, between);
  const std::string_view last =
      kind == "or" ? (is_chinese ? " 或 " : " or ") : (is_chinese ? " 和 " : " and ");
  return join({names.begin(), names.end() - 1}, between) + std::string(last) + names.back();
}

std::string fill(const Value& value, std::string_view kind, Language language) {
  if (const auto* number = std::get_if<std::int64_t>(&value.any()))
    return fill_number(*number, kind, language);
  if (const auto* text = std::get_if<std::string>(&value.any())) return *text;
  if (const auto* names = std::get_if<Value::Texts>(&value.any()))
    return fill_names(*names, kind, language);
  std::vector<std::string> parts;
  for (const Message& message : std::get<Value::Messages>(value.any()))
    parts.push_back(render(message, language));
  if (!kind.empty()) return fill_names(parts, kind, language);
  return join(parts, language == Language::Chinese ? "；" : "; ");
}

/// For a code of another version: what is known of it.
std::string unknown(const Message& message) {
  std::string out;
  append_json(out, message);
  return out;
}

}  // namespace

std::string render(const Message& message, Language language) {
  if (message.empty()) return {};
  const Sentence* sentence = find_sentence(message.code);
  if (sentence == nullptr) return unknown(message);
  std::string_view rest = language == Language::Chinese ? sentence->chinese : sentence->english;
  std::string out;
  while (true) {
    const auto open = rest.find_first_of("{}");
    out += rest.substr(0, open);
    if (open == std::string_view::npos) return out;
    if (rest.substr(open, 2) == "{{" || rest.substr(open, 2) == "}}") {
      out += rest[open];
      rest.remove_prefix(open + 2);
      continue;
    }
    const auto close = rest.find('}', open);
    const Hole hole = read_hole(rest.substr(open + 1, close - open - 1));
    // Only a message from elsewhere can lack a value: ours are made by functions that ask for all.
    const Value* value = message.find(hole.name);
    out += value ? fill(*value, hole.kind, language) : "?";
    rest.remove_prefix(close + 1);
  }
}

}  // namespace ty
