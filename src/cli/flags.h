#pragma once
#include <CLI/App.hpp>
#include <string>
#include <string_view>

namespace ty::cli {

/// What the person typed where the API names a parameter: `?lines` is `--lines`, `/time_limit` is
/// `--time`, `/name` is `NAME`. `command` is the one that was called. What it has no flag for stays
/// as it is.
std::string flag_of(const CLI::App& command, std::string_view pointer);

}  // namespace ty::cli
