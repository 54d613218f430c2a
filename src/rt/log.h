#pragma once
#include <fmt/format.h>

#include <cstdint>
#include <string_view>

/// The program's own log: one line per happening, `event` first, then `key=value`.
///
///   log::info("job.placed job={} node={} gpus={}", id, node, gpus);
///
/// `error`: a person must act. `warn`: it heals itself. `info`: something a user could name
/// changed. `debug`: the rest. Any thread; nothing here fails. Secrets have no formatter, so they
/// cannot get here.
namespace ty::log {

enum class Level : std::uint8_t { Debug, Info, Warn, Error, Off };

struct Options {
  Level level = Level::Info;
  bool json = false;  ///< one JSON object a line: time, level, event, and each key
};

/// Until called: level Info, plain text. Lines go to stderr.
void configure(const Options& options);

bool enabled(Level level);
/// A finished line; the functions below are the usual way here.
void write(Level level, std::string_view line);

/// What `configure` would have written for the line, without its newline. For tests and other
/// sinks.
std::string render_json(Level level, std::string_view time, std::string_view line);

template <class... Args>
void line(Level level, fmt::format_string<Args...> format, Args&&... args) {
  if (!enabled(level)) return;
  fmt::memory_buffer text;
  fmt::format_to(std::back_inserter(text), format, std::forward<Args>(args)...);
  write(level, {text.data(), text.size()});
}

template <class... Args>
void debug(fmt::format_string<Args...> format, Args&&... args) {
  line(Level::Debug, format, std::forward<Args>(args)...);
}
template <class... Args>
void info(fmt::format_string<Args...> format, Args&&... args) {
  line(Level::Info, format, std::forward<Args>(args)...);
}
template <class... Args>
void warn(fmt::format_string<Args...> format, Args&&... args) {
  line(Level::Warn, format, std::forward<Args>(args)...);
}
template <class... Args>
void error(fmt::format_string<Args...> format, Args&&... args) {
  line(Level::Error, format, std::forward<Args>(args)...);
}

}  // namespace ty::log
