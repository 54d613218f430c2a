#include "jobspec/openpai_v2/template.h"

#include <algorithm>

#include "base/text.h"
#include "model/secret_tags.h"

namespace ty::jobspec::openpai_v2 {
namespace {

std::optional<std::string> text_of(Ref ref) {
  if (ref.is_scalar()) {
    if (ref.is_plain() && is_bool_word(ref->text))
      return is_true_word(ref->text) ? "true" : "false";
    return std::string(ref->text);
  }
  if (!ref.is_list()) return std::nullopt;
  std::vector<std::string> items;
  for (const Ref item : ref) items.push_back(text_of(item).value_or(""));
  return join(items, ",");
}

Ref child(Ref ref, std::string_view step) {
  if (ref.is_map()) return ref.find(step);
  if (!ref.is_list() || step.empty() || step.size() > 6 ||
      !std::ranges::all_of(step, [](char c) { return c >= '0' && c <= '9'; }))
    return {};
  auto n = static_cast<std::size_t>(std::stoul(std::string(step)));
  for (const Ref item : ref) {
    if (n-- == 0) return item;
  }
  return {};
}

}  // namespace

std::optional<std::string> value_at(Ref top, std::string_view path) {
  while (top && !path.empty()) {
    const std::size_t dot = path.find('.');
    top = child(top, path.substr(0, dot));
    path = dot == std::string_view::npos ? std::string_view{} : path.substr(dot + 1);
  }
  return top ? text_of(top) : std::nullopt;
}

std::string render(std::string_view text, const Lookup& lookup) {
  std::string out;
  for (std::size_t open; (open = text.find("<%")) != std::string_view::npos;) {
    const std::size_t close = text.find("%>", open);
    if (close == std::string_view::npos) break;
    out += text.substr(0, open);
    const std::string_view tag = text.substr(open, close + 2 - open);
    const std::string_view inner = trim(tag.substr(2, tag.size() - 4));
    text.remove_prefix(close + 2);
    if (!inner.empty() && std::string_view("#/&").find(inner.front()) != std::string_view::npos)
      continue;
    const std::optional<std::string> value =
        inner.starts_with('$') ? lookup(model::dotted(inner.substr(1))) : std::nullopt;
    if (value)
      out += *value;
    else
      out += tag;
  }
  out += text;
  return std::string(trim(out));
}

}  // namespace ty::jobspec::openpai_v2
