#include "rt/log.h"

#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <atomic>
#include <memory>

#include "base/json_text.h"
#include "base/time.h"

namespace ty::log {

namespace {

std::atomic<Level> g_level = Level::Info;
std::atomic<bool> g_json = false;

/// Formatting is ours, so the sink's own pattern is the bare line. Never destroyed: threads that
/// outlive main may still have something to say.
spdlog::logger& sink() {
  static auto* logger = [] {
    auto* made = new spdlog::logger("trainyard", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made->set_pattern("%v");
    made->set_level(spdlog::level::trace);
    made->flush_on(spdlog::level::warn);
    return made;
  }();
  return *logger;
}

std::string_view word(Level level) {
  switch (level) {
    case Level::Debug:
      return "debug";
    case Level::Info:
      return "info";
    case Level::Warn:
      return "warn";
    case Level::Error:
      return "error";
    case Level::Off:
      break;
  }
  return "off";
}

/// Where the next ` key=` begins (at its blank), or npos: a value may hold blanks, a key is
/// `[a-z0-9_]+`.
std::size_t next_key(std::string_view text, std::size_t from) {
  for (std::size_t blank = text.find(' ', from); blank != std::string_view::npos;
       blank = text.find(' ', blank + 1)) {
    std::size_t end = blank + 1;
    while (end < text.size() && ((text[end] >= 'a' && text[end] <= 'z') ||
                                 (text[end] >= '0' && text[end] <= '9') || text[end] == '_')) {
      ++end;
    }
    if (end > blank + 1 && end < text.size() && text[end] == '=') return blank;
  }
  return std::string_view::npos;
}

}  // namespace

std::string render_json(Level level, std::string_view time, std::string_view line) {
  std::string out = "{\"time\":";
  append_json_string(out, time);
  out += ",\"level\":";
  append_json_string(out, word(level));
  std::size_t key_at = next_key(line, 0);
  out += ",\"event\":";
  append_json_string(out, line.substr(0, key_at));
  while (key_at != std::string_view::npos) {
    const std::size_t equals = line.find('=', key_at);
    const std::size_t next = next_key(line, equals);
    const std::size_t value_end = next == std::string_view::npos ? line.size() : next;
    out += ',';
    append_json_string(out, line.substr(key_at + 1, equals - key_at - 1));
    out += ':';
    append_json_string(out, line.substr(equals + 1, value_end - equals - 1));
    key_at = next;
  }
  out += '}';
  return out;
}

void configure(const Options& options) {
  g_level.store(options.level, std::memory_order_relaxed);
  g_json.store(options.json, std::memory_order_relaxed);
}

bool enabled(Level level) { return level >= g_level.load(std::memory_order_relaxed); }

void write(Level level, std::string_view line) {
  const std::string time = to_rfc3339(SystemClock{}.now());
  const auto spd = level >= Level::Warn ? spdlog::level::warn : spdlog::level::info;
  if (g_json.load(std::memory_order_relaxed)) {
    sink().log(spd, render_json(level, time, line));
    return;
  }
  // One happening is one line, whatever a value holds.
  std::string text = fmt::format("{} {:<5} ", time, word(level));
  for (const char c : line) {
    if (c == '\n') {
      text += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      text += ' ';
    } else {
      text += c;
    }
  }
  sink().log(spd, text);
}

}  // namespace ty::log
