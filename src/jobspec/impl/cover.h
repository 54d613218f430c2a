#pragma once
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "jobspec/impl/tree.h"

namespace ty::jobspec {

/// What stands for a secret wherever a file is shown or printed.
inline constexpr std::string_view kCovered = "******";

/// Offsets and lengths of the texts of `hidden` values, in order and apart. A map or list is
/// covered from its start to whatever stands behind it, comments included. Where a value was
/// written somewhere else (an anchor), that place is covered too.
std::vector<std::pair<std::int64_t, std::int64_t>> ranges_to_cover(const Tree& tree,
                                                                   const std::vector<Ref>& hidden);

}  // namespace ty::jobspec
