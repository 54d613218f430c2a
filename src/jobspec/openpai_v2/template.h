#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "jobspec/impl/tree.h"

/// `<% $parameters.lr %>` in the texts of an OpenPAI v2 job (openpai.md §3.2).
namespace ty::jobspec::openpai_v2 {

/// The value of `parameters.a.b` or `data.uri.0`, dots only; none leaves the tag as it stands.
using Lookup = std::function<std::optional<std::string>(const std::string& path)>;

/// Every tag that `lookup` knows replaced by its value; marks of sections (`#`, `/`, `&`) vanish,
/// as they did. Blanks around the result are cut.
std::string render(std::string_view text, const Lookup& lookup);

/// The scalar or list below `top` that dots and numbers lead to, as text: lists joined by `,`. None
/// where there is nothing, null or a map.
std::optional<std::string> value_at(Ref top, std::string_view path);

}  // namespace ty::jobspec::openpai_v2
