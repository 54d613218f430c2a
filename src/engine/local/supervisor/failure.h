#pragma once
#include <errno.h>
#include <string.h>

#include <cstdint>

#include "text.h"

namespace ty::supervisor {

/// Why the command never ran. `reason` is a word of the model (`start_failed`, `data_failed`,
/// `command_not_found`); it travels from the task's process to the supervisor as it is.
struct Failure {
  Text<32> reason;
  Text<900> text;

  /// Always false, so that a failing step can `return fail(…)`.
  bool set(const char* why,
           std::string_view what,
           std::string_view object = {},
           int error = errno) {
    reason = {};
    reason.add(why);
    text = {};
    text.add(what);
    if (!object.empty()) text.add(" ").add(object);
    if (error != 0)
      text.add(": ").add(strerrordesc_np(error) != nullptr ? strerrordesc_np(error) : "?");
    return false;
  }
};

inline constexpr char kStartFailed[] = "start_failed";
inline constexpr char kDataFailed[] = "data_failed";
inline constexpr char kCommandNotFound[] = "command_not_found";
inline constexpr char kBadSpec[] = "bad_spec";

}  // namespace ty::supervisor
