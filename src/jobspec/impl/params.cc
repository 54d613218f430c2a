#include "jobspec/impl/params.h"

#include <algorithm>

#include "base/text.h"
#include "jobspec/messages.h"

namespace ty::jobspec {
namespace {

bool is_param_name(std::string_view name) {
  return !name.empty() && name.size() <= 128 && std::ranges::all_of(name, [](unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
  });
}

}  // namespace

std::string json_of_given(const std::string& text) {
  if (is_json_number(text) || text == "true" || text == "false") return text;
  std::string json;
  append_json_string(json, text);
  return json;
}

void Params::read(Ref map, Report& report) {
  for (const Ref entry : map) {
    const std::string name(entry->key);
    if (!is_param_name(name)) {
      report.error_at_key(entry,
                          "pattern",
                          say::name_has_others({.name = in_quotes(name),
                                                .allowed = say::letters_digits(
                                                    {.marks = Words{"\"-\"", "\"_\"", "\".\""}}),
                                                .example = "lr"}));
      continue;
    }
    names_.insert(name);
    if (!entry.is_scalar()) {
      report.error(entry,
                   "type",
                   say::wrong_kind({.expected = say::a_single_value(),
                                    .got = quoted(entry),
                                    .example = name + ": 0.1"}));
      continue;
    }
    order_.push_back(name);
    Value value{std::string(entry->text), jobspec::to_json(entry)};
    if (const auto given = given_.find(name); given != given_.end()) {
      value.text = given->second;
      value.json.clear();
      if (entry.is_plain())
        value.json = json_of_given(given->second);
      else
        append_json_string(value.json, given->second);
    }
    values_.insert_or_assign(name, std::move(value));
  }
}

std::string Params::render(Ref at, std::string_view text, Report& report) {
  constexpr std::string_view kOpen = "${{";
  std::size_t open = text.find(kOpen);
  if (open == std::string_view::npos) return std::string(text);
  std::string out;
  for (; open != std::string_view::npos; open = text.find(kOpen)) {
    if (open > 0 && text[open - 1] == '$') {
      out += text.substr(0, open - 1);
      out += kOpen;
      text.remove_prefix(open + kOpen.size());
      continue;
    }
    out += text.substr(0, open);
    const std::size_t close = text.find("}}", open);
    if (close == std::string_view::npos) {
      report.error(at, "template", say::template_not_closed());
      return out;
    }
    const std::string name(trim(text.substr(open + kOpen.size(), close - open - kOpen.size())));
    text.remove_prefix(close + 2);
    names_.insert(name);
    auto value = values_.find(name);
    if (value == values_.end()) {
      if (const auto given = given_.find(name); given != given_.end()) {
        order_.push_back(name);
        value = values_.emplace(name, Value{given->second, json_of_given(given->second)}).first;
      }
    }
    if (value != values_.end()) {
      out += value->second.text;
      continue;
    }
    report.error(at, "template", say::template_without_value({.name = shorten(name)}));
  }
  out += text;
  return out;
}

std::string Params::to_json() const {
  std::string out = "{";
  for (const std::string& name : order_) {
    if (out.size() > 1) out += ',';
    append_json_string(out, name);
    out += ':';
    out += values_.find(name)->second.json;
  }
  return out + "}";
}

std::string escape_template(std::string_view text) {
  std::string out;
  for (std::size_t open; (open = text.find("${{")) != std::string_view::npos;) {
    out += text.substr(0, open);
    out += "$${{";
    text.remove_prefix(open + 3);
  }
  out += text;
  return out;
}

}  // namespace ty::jobspec
