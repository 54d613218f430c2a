#pragma once
#include <fmt/format.h>

#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

#include "engine/local/supervisor/launch_format.h"
#include "model/job_spec.h"

namespace ty::engine {

/// Writes a launch file (supervisor/launch_format.h).
class LaunchText {
 public:
  LaunchText() : text_(supervisor::kLaunchMagic) {}
  void add(std::string_view name, std::string_view value) {
    fmt::format_to(std::back_inserter(text_), "{} {}\n", name, value.size());
    text_.append(value).push_back('\n');
  }
  void add(std::string_view name, std::int64_t value) {
    add(name, std::string_view(fmt::to_string(value)));
  }
  std::string finish() && {
    add(supervisor::key::kEnd, "");
    return std::move(text_);
  }

 private:
  std::string text_;
};

/// The words that make `shell` run the script at `path` as the command asks for it.
std::vector<std::string> shell_words(const model::Command& command,
                                     std::string shell,
                                     bool is_bash,
                                     const std::string& path);
/// The script itself: what comes before, the user's own, and what comes after success.
std::string script_text(const model::Command& command);

}  // namespace ty::engine
