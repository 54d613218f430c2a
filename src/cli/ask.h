#pragma once
#include <string>

#include "base/secret.h"

namespace ty::cli {

/// One line from standard input, after the question on standard error.
std::string ask(const std::string& question);
/// The same without showing what is typed, where a terminal is there to show it.
Secret ask_secretly(const std::string& question);

}  // namespace ty::cli
