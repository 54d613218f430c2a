#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/message.h"

namespace ty::model {

/// What a program that failed most likely failed of, by a line it wrote itself.
struct LogClue {
  std::string_view code;  ///< `gpu_out_of_memory`: pages word it in the reader's language
  Message text;           ///< the cause and what to do
  std::size_t line = 0;   ///< which of the lines says so
};

/// Looks through the last lines of a failed task for what training programs are known to say. What
/// names a cause for sure counts before what may have been survived, and that before an exception
/// nobody knows; of equals the last one counts. Null when nothing is recognised.
std::optional<LogClue> find_clue(std::span<const std::string> lines);

}  // namespace ty::model
