#pragma once
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace ty::api::v1 {

/// `bytes=2-5` → 2, 6 (one past the last); `bytes=2-` runs to the end. Everything else, several
/// ranges and those counted from the end included, is nothing: HTTP lets a server ignore Range.
std::optional<std::pair<std::uint64_t, std::uint64_t>> parse_byte_range(std::string_view header);

}  // namespace ty::api::v1
