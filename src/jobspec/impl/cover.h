#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "jobspec/impl/tree.h"

namespace ty::jobspec {

/// Offsets and lengths of the texts of `hidden` values, in order and apart. A map or list is
/// covered from its start to whatever stands behind it, comments included. Where a value was
/// written somewhere else (an anchor), that place is covered too.
std::vector<std::pair<std::int64_t, std::int64_t>> ranges_to_cover(const Tree& tree,
                                                                   const std::vector<Ref>& hidden);

}  // namespace ty::jobspec
