#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "base/message.h"

namespace ty::control {

/// What the log of the task that ended a failed job says about it.
struct FailureClue {
  std::string task;
  std::uint64_t line = 0;  ///< its number, from 1
  std::string said;        ///< the line itself, at most 8 KiB
  std::string_view code;   ///< model::LogClue
  Message text;            ///< the cause and what to do
};

}  // namespace ty::control
