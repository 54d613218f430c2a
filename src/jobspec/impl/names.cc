#include "jobspec/impl/names.h"

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "jobspec/messages.h"

namespace ty::jobspec {
namespace {

using model::Dialect;

std::vector<char32_t> characters(std::string_view text) {
  std::vector<char32_t> out;
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t size = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    char32_t code = size == 1 ? lead : lead & (0xFF >> (size + 1));
    for (std::size_t k = 1; k < size && i + k < text.size(); ++k) {
      code = (code << 6) | (static_cast<unsigned char>(text[i + k]) & 0x3F);
    }
    out.push_back(code);
    i += size;
  }
  return out;
}

bool is_letter(char32_t c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char32_t c) { return c >= '0' && c <= '9'; }
bool is_chinese(char32_t c) { return c >= 0x4E00 && c <= 0x9FFF; }

enum class First : std::uint8_t { Any, LetterOrDigit, Letter };

struct NameRule {
  std::string_view marks;  ///< allowed beside letters and digits
  std::size_t most = 0;    ///< characters
  First first = First::Any;
  bool chinese = false;
  bool lower_only = false;
};

bool allowed(const NameRule& rule, char32_t c) {
  if (is_letter(c)) return !rule.lower_only || c >= 'a';
  if (is_digit(c)) return true;
  if (c < 0x80) return rule.marks.find(static_cast<char>(c)) != std::string_view::npos;
  return rule.chinese && is_chinese(c);
}

bool allowed_first(const NameRule& rule, char32_t c) {
  if (!allowed(rule, c)) return false;
  switch (rule.first) {
    case First::Any:
      return true;
    case First::LetterOrDigit:
      return is_letter(c) || is_digit(c) || is_chinese(c);
    case First::Letter:
      return is_letter(c);
  }
  return false;
}

/// The nearest name the rule allows: what is not allowed becomes the first mark that is.
std::string nearest(const NameRule& rule, std::string_view name) {
  const char filler = rule.marks.empty() ? '\0' : rule.marks.front();
  std::string out;
  std::size_t length = 0;
  for (std::size_t i = 0; i < name.size() && length < rule.most;) {
    const auto lead = static_cast<unsigned char>(name[i]);
    const std::size_t size = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    std::string piece(name.substr(i, size));
    i += size;
    if (rule.lower_only) piece = to_lower(piece);
    const char32_t c = characters(piece).front();
    if (out.empty() && !allowed_first(rule, c)) continue;
    if (allowed(rule, c)) {
      out += piece;
      ++length;
    } else if (filler != '\0' && !out.ends_with(filler)) {
      out += filler;
      ++length;
    }
  }
  while (!out.empty() && filler != '\0' && out.back() == filler) out.pop_back();
  return out;
}

Message allowed_words(const NameRule& rule) {
  Words marks;
  for (const char mark : rule.marks) marks.push_back(std::string("\"") + mark + "\"");
  return rule.lower_only ? say::lower_letters_digits({.marks = std::move(marks)})
                         : say::letters_digits({.marks = std::move(marks)});
}

/// The common case without allocating anything.
bool is_plainly_good(const NameRule& rule, std::string_view name) {
  return !name.empty() && name.size() <= rule.most &&
         allowed_first(rule, static_cast<unsigned char>(name.front())) &&
         std::ranges::all_of(name, [&](unsigned char c) { return c < 0x80 && allowed(rule, c); });
}

std::optional<Refusal> check(const NameRule& rule,
                             std::string_view name,
                             std::string_view example) {
  if (is_plainly_good(rule, name)) return std::nullopt;
  if (auto hidden = check_visible(name)) return hidden;
  const std::vector<char32_t> text = characters(name);
  const std::string near = nearest(rule, name);
  const std::string cure = near.empty() ? std::string(example) : near;
  const std::string quote = in_quotes(name);
  if (text.empty()) return Refusal{"pattern", say::value_is_empty({.example = cure})};
  if (!std::ranges::all_of(text, [&](char32_t c) { return allowed(rule, c); })) {
    return Refusal{
        "pattern",
        say::name_has_others({.name = quote, .allowed = allowed_words(rule), .example = cure})};
  }
  if (!allowed_first(rule, text.front())) {
    return Refusal{"pattern",
                   rule.first == First::Letter
                       ? say::name_begins_wrong_letter({.name = quote, .example = cure})
                       : say::name_begins_wrong({.name = quote, .example = cure})};
  }
  if (text.size() > rule.most) {
    return Refusal{"range", say::name_too_long({.count = text.size(), .most = rule.most})};
  }
  return std::nullopt;
}

/// None: FfDL takes any name.
std::optional<NameRule> job_rule(Dialect dialect) {
  switch (dialect) {
    case Dialect::Native:
      return NameRule{"-_.", 100, First::LetterOrDigit, true};
    case Dialect::OpenPaiV1:
      return NameRule{"-_.~", 255};
    case Dialect::OpenPaiV2:
      return NameRule{"-_", 255};
    case Dialect::GpuManager:
      return NameRule{"-", 63, First::LetterOrDigit, false, true};
    case Dialect::Volcano:
      return NameRule{"-.", 63, First::LetterOrDigit, false, true};
    case Dialect::Pumpkin:
      return NameRule{"-_", 30, First::Any, true};
    case Dialect::Ffdl:
      break;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Refusal> check_visible(std::string_view text) {
  if (std::ranges::all_of(text, [](unsigned char c) { return c < 0x80; })) return std::nullopt;
  for (const char32_t c : characters(text)) {
    const bool bidi = (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
    const bool zero_width =
        (c >= 0x200B && c <= 0x200F) || c == 0x2060 || c == 0xFEFF || c == 0x00AD;
    if (!bidi && !zero_width) continue;
    constexpr char kHex[] = "0123456789ABCDEF";
    std::string code;
    for (const int shift : {12, 8, 4, 0}) code += kHex[(c >> shift) & 15];
    return Refusal{"pattern", say::invisible_character({.character = "U+" + code})};
  }
  return std::nullopt;
}

std::optional<Refusal> check_job_name(Dialect dialect, std::string_view name) {
  if (const auto rule = job_rule(dialect)) return check(*rule, name, "my-job");
  if (name.size() > 225)
    return Refusal{"range", say::name_too_long({.count = name.size(), .most = 225})};
  return check_visible(name);
}

std::string nearest_job_name(Dialect dialect, std::string_view name) {
  const auto rule = job_rule(dialect);
  if (!rule) return std::string(name.substr(0, 225));
  if (is_plainly_good(*rule, name)) return std::string(name);
  std::string near = nearest(*rule, name);
  return near.empty() ? "job" : near;
}

std::optional<Refusal> check_role_name(Dialect dialect, std::string_view name) {
  switch (dialect) {
    case Dialect::Native:
      return check({"-_", 40, First::Letter}, name, "worker");
    case Dialect::OpenPaiV1:
      return check({"-_.~", 63}, name, "worker");
    case Dialect::OpenPaiV2:
      return check({"_", 63}, name, "worker");
    case Dialect::Ffdl:
      return std::nullopt;
    case Dialect::GpuManager:
      return check({"-_", 40}, name, "worker");
    case Dialect::Volcano:
      return check({"-", 63, First::LetterOrDigit, false, true}, name, "worker");
    case Dialect::Pumpkin:
      return check({"_", 30}, name, "worker");
  }
  return std::nullopt;
}

std::optional<Refusal> check_workspace(std::string_view name) {
  return check({"-_.", 63, First::LetterOrDigit}, name, "default");
}

std::optional<Refusal> check_port_label(std::string_view label) {
  return check({"-_.~", 63}, label, "web");
}

std::optional<Refusal> check_env_name(Dialect dialect, std::string_view name) {
  if (auto hidden = check_visible(name)) return hidden;
  const auto is_word = [](unsigned char c) { return is_letter(c) || is_digit(c) || c == '_'; };
  const bool open = dialect == Dialect::OpenPaiV1 || dialect == Dialect::Volcano;
  const bool form =
      open ? std::ranges::any_of(name, is_word) && name.find('=') == std::string_view::npos
           : !name.empty() && !is_digit(static_cast<unsigned char>(name.front())) &&
                 std::ranges::all_of(name, is_word);
  if (!form) {
    return Refusal{"env_name", say::invalid_variable_name({.name = in_quotes(name)})};
  }
  if (name.size() > 256) {
    return Refusal{"range", say::variable_name_too_long({.size = name.size(), .most = 256})};
  }
  if (name.starts_with("TRAINYARD_")) {
    return Refusal{"reserved_env", say::reserved_variable()};
  }
  return std::nullopt;
}

}  // namespace ty::jobspec
